/** One turn in one line: a conversation with its tools, a message, and a user who answers each question in order. */
import type { Risk } from '../../src/model/calls.js';
import type { TurnResult } from '../../src/model/messages.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { settlesWell, talk, type ScriptedTurn, type Talk, type TalkOptions } from './talk.js';

/** Names of plain tools, or each tool with its risk or with what makes it special. */
export type Tools = string | Record<string, Risk | Partial<ToolDefinition>>;

export interface PlayOptions extends TalkOptions {
  answers?: ('allow' | 'deny')[];
  message?: string;
}

export function stage(turns: readonly ScriptedTurn[], tools: Tools = {}, options: TalkOptions = {}): Talk {
  const one = talk([...turns], options);
  const all: Exclude<Tools, string> = typeof tools === 'string' ? Object.fromEntries(tools.split(' ').map((name) => [name, {}])) : tools;
  for (const [name, more] of Object.entries(all)) one.tool(name, typeof more === 'string' ? { risk: more } : more);
  return one;
}

/** The turn has to settle well, whatever else the test looks at. */
export async function play(turns: readonly ScriptedTurn[], tools: Tools = {}, options: PlayOptions = {}): Promise<Talk & TurnResult> {
  const { answers, message, ...rest } = options;
  const one = stage(turns, tools, { ...(answers && { person: true }), ...rest });
  const turn = one.send(message);
  for (const verdict of answers ?? []) await one.answer(verdict);
  const played = { ...one, ...(await turn) };
  await settlesWell(played);
  return played;
}

/** A turn up to its first question, or to so many cards that wait. */
export async function asking(turns: readonly ScriptedTurn[], tools: Tools, { count, ...options }: TalkOptions & { count?: number } = {}) {
  const one = stage(turns, tools, { person: true, ...options });
  const turn = one.send();
  const cards = count ? await one.asked(count) : [await one.question()];
  return { one, turn, cards, card: cards[0]! };
}

/** The names of the tools that ran, in order. */
export const ran = ({ runs }: Talk): string[] => runs.map(({ name }) => name);

/** The system prompt of a request. */
export const system = (one: Talk, nth = 0): string => one.bodies()[nth]?.system ?? '';

/** The last message of a request. */
export const told = (one: Talk, nth = 1): string => one.bodies()[nth]?.messages.at(-1)?.text ?? '';

/** A turn in one line: how it ended, after so many runs and requests, with these results. */
export const outcome = (one: Talk & TurnResult): string =>
  `${one.reason}, ${String(one.runs.length)} runs, ${String(one.requests().length)} requests: ${one.results.map(({ code, status }) => code ?? status).join()}`;
