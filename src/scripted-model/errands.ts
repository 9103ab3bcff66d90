/** Requests that are a walk: one known call after the other, until the last has come back. Each where its tools are, whatever page they are of. */
import { isChinese } from './intents.js';
import type { Lesson, Outcome } from './lesson.js';
import type { PlannedCall } from './notations/notation.js';
import type { Reply } from './scripted-request.js';

interface Errand {
  /** Said beside a call, by its place in the walk; nothing where there is none. */
  words?: readonly string[];
  calls: readonly PlannedCall[];
  /** What is said when all has come back. */
  done(outcomes: readonly Outcome[]): string;
}

const call = (name: string, args: Record<string, string> = {}): PlannedCall => ({ name, arguments: args });

/** The next call of the errand that is asked for, or its end; undefined where it is none. */
export function runErrand(lesson: Lesson): Reply | undefined {
  const zh = isChinese(lesson.request);
  const errand = stats(lesson, zh) ?? calendar(lesson, zh) ?? shopping(lesson, zh);
  if (!errand) return undefined;
  const { outcomes } = lesson;
  const failure = outcomes.find(({ status }) => status !== 'success');
  if (failure) {
    if (failure.status === 'denied') return { text: zh ? '好的，就停在这里。' : 'All right, I stop here.', calls: [] };
    return { text: zh ? `没有办完：${failure.message}` : `This could not be finished: ${failure.message}`, calls: [] };
  }
  const next = errand.calls[outcomes.length];
  if (next && !lesson.tools.has(next.name))
    return { text: zh ? `这个页面没有 ${next.name} 工具。` : `This page has no tool ${next.name}.`, calls: [] };
  return next ? { text: errand.words?.[outcomes.length] ?? '', calls: [next] } : { text: errand.done(outcomes), calls: [] };
}

const lastMessage = (outcomes: readonly Outcome[]): string => outcomes.at(-1)?.message ?? '';

/** Numbers about all tasks (S0-184). */
function stats({ tools, request }: Lesson, zh: boolean): Errand | undefined {
  if (!tools.has('task_stats') || !/统计|多少个?任务|\bstatistics?\b|\bstats\b|\bhow many tasks\b/i.test(request)) return undefined;
  return { words: [zh ? '我来统计一下。' : 'Let me count.'], calls: [call('task_stats')], done: lastMessage };
}

/** A file for the person's calendar (S0-199). */
function calendar({ tools, request }: Lesson, zh: boolean): Errand | undefined {
  if (!tools.has('export_calendar') || !/日历|\.ics\b|\bcalendar\b/i.test(request)) return undefined;
  return { words: [zh ? '我来准备日历文件。' : 'I prepare the file.'], calls: [call('export_calendar')], done: lastMessage };
}

/** Over three pages: into the basket on one, a look at the basket on the next, the order on the last. */
function shopping({ tools, request, outcomes }: Lesson, zh: boolean): Errand | undefined {
  if (!tools.has('open_page')) return undefined;
  const match =
    /^(?:please\s+)?(?:buy|order|get)(?:\s+me)?\s+(?:(\d+|a|an|one|two|three|some)\s+)?(?:(?:packs?|boxes|bags?)\s+of\s+)?(.+?)(?:\s+(?:and|then)\s.*)?[.!]?$/i.exec(
      request,
    ) ??
    /^(?:请|帮我|我要)*(?:买|订购|下单)\s*(\d+|[一两二三])?\s*[盒包袋份个]?\s*(?:的)?([^，,。]+?)(?:[，,并然后].*)?[。]?$/.exec(request);
  if (!match) return undefined;
  const numbers: Record<string, string> = { two: '2', 两: '2', 二: '2', three: '3', 三: '3' };
  const said = match[1] ?? '1';
  const quantity = numbers[said] ?? (/^\d+$/.test(said) ? said : '1');
  const product = match[2]!.replace(/[「」“”"']/g, '').trim();
  // Asked for on a page without shelves, it begins with the way to them.
  const elsewhere = outcomes.length === 0 ? !tools.has('add_to_basket') : outcomes[0]?.tool === 'open_page';
  const shelves = elsewhere ? [call('open_page', { page: 'shelves' })] : [];
  const words = zh
    ? ['我放进购物篮。', '去看看购物篮。', '', '东西都在，去下单页面。', '最后一步，请你确认。']
    : ['Into the basket with it.', 'Now to the basket.', '', 'All there. On to the order page.', 'The last step is yours to confirm.'];
  return {
    words: elsewhere ? [zh ? '我先回到货架。' : 'Back to the shelves first.', ...words] : words,
    calls: [
      ...shelves,
      call('add_to_basket', { product, quantity }),
      call('open_page', { page: 'basket' }),
      call('read_basket'),
      call('open_page', { page: 'order' }),
      call('place_order'),
    ],
    done: (all) => (zh ? `办好了。${lastMessage(all)}` : `All done. ${lastMessage(all)}`),
  };
}
