/**
 * Sixty things that people ask of a task manager, and what has to come of each. Nobody's prompt or example may be made from them: they are
 * there to measure, and what was tuned to them measures nothing any more.
 */
import { readFileSync } from 'node:fs';

/** A value that is right: itself, one of several, or none that says anything. */
export type Right = string | boolean | readonly string[];

export interface Expected {
  tool: string;
  args: Readonly<Record<string, Right>>;
}

export interface EvalRequest {
  id: string;
  lang: 'en' | 'zh-CN';
  /** `{+2}` is the day after tomorrow as `YYYY-MM-DD`, here and in `calls`. */
  text: string;
  /** In any order. None: nothing may be called at all. */
  calls: readonly Expected[];
}

/** By language. */
const requests = JSON.parse(readFileSync(new URL('../fixtures/eval/requests.json', import.meta.url), 'utf8')) as Record<
  EvalRequest['lang'],
  Pick<EvalRequest, 'text' | 'calls'>[]
>;

const number = (lang: EvalRequest['lang']): EvalRequest[] =>
  requests[lang].map((one, at) => ({ id: `${lang.slice(0, 2)}-${String(at + 1).padStart(2, '0')}`, lang, ...one }));

/** With the days written out, counted from `today`. */
export function requestsFor(today: Date): EvalRequest[] {
  const source = JSON.stringify([...number('en'), ...number('zh-CN')]);
  return JSON.parse(source.replace(/\{\+(\d)\}/g, (_, days: string) => dayAfter(today, Number(days)))) as EvalRequest[];
}

export function dayAfter(today: Date, days: number): string {
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, 12);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}
