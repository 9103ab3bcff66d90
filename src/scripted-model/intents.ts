/** Recognizes what the user wants from Chinese or English text. Rules only: the same text always has the same intent. */
import { addDays } from '../base/days.js';

/** Days as `YYYY-MM-DD`, and words for them. */

export function isDay(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Source of a pattern without groups, for use inside others. */
const DAY =
  '(?:\\d{4}-\\d{1,2}-\\d{1,2}|(?:\\d{4}年)?\\d{1,2}月\\d{1,2}[日号]|今天|今日|今晚|明天|明日|明晚|后天|the day after tomorrow|today|tonight|tomorrow)';

/**
 * Converts a day word to `YYYY-MM-DD`, relative to `today`. An impossible day (2024-02-31) is kept as written, so that the tool reports it.
 */
function readDay(word: string, today: string): string {
  const text = word.toLowerCase();
  if (/^(今天|今日|今晚|today|tonight)$/.test(text)) return today;
  if (/^(明天|明日|明晚|tomorrow)$/.test(text)) return addDays(today, 1);
  if (/^(后天|the day after tomorrow)$/.test(text)) return addDays(today, 2);
  const numbers = text.match(/\d+/g) ?? [];
  const [day, month, year = today.slice(0, 4)] = numbers.toReversed();
  return [year, month?.padStart(2, '0'), day?.padStart(2, '0')].join('-');
}

/** The task a request is about. */
export type Target = { by: 'id'; id: string } | { by: 'title'; title: string } | { by: 'last' } | { by: 'completed' } | { by: 'all' };

export type Intent =
  /** An empty title is passed on, so that the tool reports it. */
  | { kind: 'create'; titles: string[]; date?: string }
  | { kind: 'list'; view?: 'staging' | 'area'; date?: string }
  | { kind: 'complete'; target: Target; done: boolean }
  | { kind: 'rename'; target: Target; title: string }
  | { kind: 'schedule'; target: Target; date: string }
  | { kind: 'delete'; target: Target }
  | { kind: 'help' | 'hello' | 'thanks' | 'date' | 'other' };

const POLITE =
  /^(?:(?:请|麻烦|帮我|帮忙|给我|替我|我要|我想要?|你能|能不能|可以|再|(?:please|can you|could you|would you|i want to|i'd like to|i need to|help me|let's|now|also|then|and)\b)[\s,，]*)+/i;
const NUMBER = '\\d{1,2}|[一二两三四五六七八九十]|two|three|four|five|six|seven|eight|nine|ten';
const NUMBERS = ['', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];
const NUMBER_WORDS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Maximum number of things in one request. A larger number is probably a mistake. */
const MAX_AT_ONCE = 10;

const TASK = '(?:任务|待办事项|待办|事项|事情|事)';
const patterns = {
  createMany: new RegExp(
    `^(?:创建|新建|添加|增加|新增|加|建|create|add|make)\\s*(?:me\\s+)?(${NUMBER})\\s*(?:个|件|条|项)?\\s*(?:新的?|new\\s+)?(?:${TASK}|tasks|things(?: to do)?|items|to-?dos)`,
    'i',
  ),
  createZh: new RegExp(`^(?:创建|新建|添加|增加|新增|加|建立|建|记)(?:一下)?(?:一?[个条项件])?(?:(${DAY})的)?(?:新的?)?${TASK}`),
  remindZh: /^(?:提醒我|记得|帮我记一下|记一下)[:：，,]?/,
  createEn: new RegExp(
    `^(?:create|add|make|new)\\s+(?:an?\\s+|the\\s+|another\\s+)?(?:new\\s+)?(?:(${DAY}(?:'s)?)\\s+)?(?:task|to-?do|reminder)\\b`,
    'i',
  ),
  remindEn: /^(?:remind me to|don't let me forget to)\s+/i,
  addToEn: /^add\s+(.+?)\s+to\s+(?:my|the)\s+(?:list|tasks|to-?dos?|day)\b/i,

  rename: [
    /^(?:把|将)?(.+?)(?:的标题|的名字|的名称)?(?:改名为|改名成|重命名为|重命名成|更名为|改成|改为)(.+)$/,
    /^重命名(.+?)为(.+)$/,
    /^rename\s+(.+?)\s+(?:to|as|into)\s+(.+)$/i,
    /^change\s+(?:the\s+)?(?:title|name)\s+of\s+(.+?)\s+to\s+(.+)$/i,
  ],
  schedule: [
    new RegExp(
      `^(?:把|将|给)(.+?)(?:重新)?(?:安排|推迟|提前|移动|移|挪|改期|改|延期|放|排)(?:日程)?(?:在|到|至|成|为|[:：])?\\s*(${DAY})(?=$|[\\s,，吧])`,
    ),
    new RegExp(`^(?:安排|推迟)(.+?)(?:在|到|至)\\s*(${DAY})`),
    new RegExp(`^(?:schedule|reschedule|move|postpone|plan|push)\\s+(.+?)\\s+(?:for|to|on|until|till)\\s+(${DAY})`, 'i'),
  ],
  remove: [/^(?:把|将)(.+?)(?:删除|删掉|删了|移除|去掉)/, /^(?:删除|删掉|移除|去掉)(.+)$/, /^(?:delete|remove|drop|get rid of)\s+(.+)$/i],
  reopen: [
    /^(?:把|将)(.+?)(?:标记为|标为|设为|设置为|标成|改为)(?:未完成|没完成)/,
    /^(?:重新打开|取消完成)(.+)$/,
    /^(?:reopen|uncheck)\s+(.+)$/i,
    /^mark\s+(.+?)\s+(?:as\s+)?(?:not done|undone|open|incomplete)$/i,
  ],
  complete: [
    /^(?:把|将)(.+?)(?:标记为|标记成|标为|设为|设置为|标成|勾选为|勾选|勾掉|改为)?(?:已完成|完成|做完)(?:了)?$/,
    /^(?:我)?(?:已经)?(?:完成|做完|搞定|勾选|勾掉)(?:了)?(.+)$/,
    /^(.+?)(?:已经)?(?:做完|完成|搞定)了$/,
    /^mark\s+(.+?)\s+(?:as\s+)?(?:done|complete|completed|finished)$/i,
    /^(?:complete|finish|check off|tick off)\s+(.+)$/i,
    /^i(?:'m|'ve| have| am)?\s+(?:just\s+)?(?:finished|completed|done with)\s+(.+)$/i,
    /^(.+?)\s+is\s+(?:done|finished|completed)$/i,
  ],
  list: /(?:列出|查看|看看|看一下|看下|显示|有哪些|有什么|有啥|读取|哪些).*(?:任务|待办|安排|日程|暂存|今天|明天|事)|(?:任务|今天|明天|暂存区).*(?:有哪些|有什么|有啥|列表|呢)|^(?:今天|明天|暂存区)(?:的)?(?:任务|待办|安排|日程)$/,
  listEn:
    /\b(?:list|show|what|what's|which|see|read|view|tell me)\b.*\b(?:tasks?|to-?dos?|today|tomorrow|staging|agenda|schedule|plans?|list)\b|^(?:today|tomorrow|staging|my tasks)$/i,
};

/** @param today the day that `today` means, `YYYY-MM-DD` */
export function readIntent(request: string, today: string): Intent {
  const text = request
    .trim()
    .replace(/[\s。．.!！?？~～]+$/, '')
    .replace(POLITE, '');
  return readCreate(text, today) ?? readChange(text, today) ?? readList(text, today) ?? readTalk(text);
}

function readCreate(text: string, today: string): Intent | undefined {
  const many = patterns.createMany.exec(text);
  const count = readNumber(many?.[1] ?? '1');
  if (many && count > 1) {
    const { rest, date } = cutDay(text.slice(many[0].length), today);
    const named = rest.replace(/^[\s,，]*(?:分别是|分别为|分别叫|标题是|叫做?|called|named|titled)?[\s:：]*/i, '');
    const titles = named
      .split(/[、,，;；\n]|和(?=[^、]*$)|\s+and\s+/i)
      .map(unquote)
      .filter(Boolean)
      .slice(0, MAX_AT_ONCE);
    if (titles.length === 0)
      titles.push(...Array.from({ length: Math.min(count, MAX_AT_ONCE) }, (_, n) => `${isChinese(text) ? '任务' : 'Task '}${n + 1}`));
    return { kind: 'create', titles, ...(date && { date }) };
  }

  const added = patterns.addToEn.exec(text);
  const start =
    patterns.createZh.exec(text) ?? patterns.createEn.exec(text) ?? patterns.remindZh.exec(text) ?? patterns.remindEn.exec(text);
  if (!added && !start) return undefined;
  const { rest, date } = cutDay(added ? `${added[1]}${text.slice(added[0].length)}` : text.slice(start![0].length), today);
  const day = start?.[1] ? readDay(start[1].replace(/'s$/i, ''), today) : date;
  return { kind: 'create', titles: [readTitle(rest)], ...(day && { date: day }) };
}

function readChange(text: string, today: string): Intent | undefined {
  const match = (list: readonly RegExp[]) => list.map((pattern) => pattern.exec(text)).find(Boolean) ?? undefined;
  const removed = match(patterns.remove);
  if (removed) return { kind: 'delete', target: readTarget(removed[1]!) };
  const scheduled = match(patterns.schedule);
  if (scheduled) return { kind: 'schedule', target: readTarget(scheduled[1]!), date: readDay(scheduled[2]!, today) };
  const reopened = match(patterns.reopen);
  if (reopened) return { kind: 'complete', target: readTarget(reopened[1]!), done: false };
  const completed = match(patterns.complete);
  const renamed = match(patterns.rename);
  if (renamed && !completed) return { kind: 'rename', target: readTarget(renamed[1]!), title: unquote(renamed[2]!) };
  return completed && { kind: 'complete', target: readTarget(completed[1]!), done: true };
}

function readList(text: string, today: string): Intent | undefined {
  if (!patterns.list.test(text) && !patterns.listEn.test(text)) return undefined;
  if (/链接|标签|文件|links?\b|tags?\b|files?\b/i.test(text)) return undefined;
  if (/暂存|staging|without a date|unscheduled/i.test(text)) return { kind: 'list', view: 'staging' };
  if (/区域|\barea\b/i.test(text)) return { kind: 'list', view: 'area' };
  const day = new RegExp(DAY, 'i').exec(text);
  return { kind: 'list', ...(day && { date: readDay(day[0], today) }) };
}

function readTalk(text: string): Intent {
  if (/^(?:你好|您好|嗨|哈喽|早上好|晚上好|hello|hi|hey|good (?:morning|evening))\b|^(?:你好|您好|嗨)/i.test(text))
    return { kind: 'hello' };
  if (/谢谢|多谢|感谢|\bthanks?\b|\bthank you\b/i.test(text)) return { kind: 'thanks' };
  if (/今天(?:是)?(?:几号|几月|星期几|周几|哪天)|what(?:'s| is) (?:the date|today's date)|which day/i.test(text)) return { kind: 'date' };
  if (
    /帮助|能做什么|会做什么|怎么用|可以做什么|\bhelp\b|what can (?:you|i)|how do(?:es)? (?:i|this)|markdown/i.test(text) ||
    text === '' ||
    text === '?'
  )
    return { kind: 'help' };
  return { kind: 'other' };
}

/** Removes a day from the end (`…, tomorrow`; `…，安排在明天`) or the beginning. Quoted titles are unchanged. */
function cutDay(text: string, today: string): { rest: string; date?: string } {
  const last = new RegExp(
    `[\\s,，]*(?:日期(?:是|为)?|时间(?:是|为)?|安排(?:在|到)?|计划在|定在|放在|放到|scheduled (?:for|on)|due(?: on)?|for|on|by)?[:：]?\\s*(${DAY})(?:吧|做|完成)?$`,
    'i',
  ).exec(text);
  // Chinese has no spaces: `准备明天` may be a title, `准备，明天` is not.
  if (last && (/^[\s,，]/.test(last[0]) || last[0].length > last[1]!.length))
    return { rest: text.slice(0, last.index), date: readDay(last[1]!, today) };
  const first = new RegExp(`^[\\s,，:：]*(?:for|on|在)?\\s*(${DAY})(?:要|to)?[\\s,，:：]*`, 'i').exec(text);
  return first ? { rest: text.slice(first[0].length), date: readDay(first[1]!, today) } : { rest: text };
}

function readTitle(text: string): string {
  const marked =
    /^[\s,，:：-]*(?:标题(?:是|为|叫)?|名字(?:是|叫)?|名称(?:是|为)?|名为|叫做?|内容(?:是|为)?|called|named|titled|with (?:the )?title|to|that says|title(?: is)?)?[\s:：]*/i;
  return unquote(text.replace(marked, ''));
}

function readTarget(words: string): Target {
  const text = words.trim().replace(/^(?:the|my|all the|all of the)\s+/i, '');
  if (
    /已完成|做完的|完成的|\b(?:completed|finished|done)\b/i.test(text) &&
    /任务|待办|tasks?|ones|to-?dos?|everything|所有|全部/i.test(words)
  )
    return { by: 'completed' };
  if (
    /^(?:所有|全部)(?:的)?(?:任务|待办)$|^(?:all|every)\s*(?:the\s+)?(?:tasks?|to-?dos?)?$|^tasks$/i.test(text) ||
    /^all (?:my |the )?tasks$/i.test(words.trim())
  )
    return { by: 'all' };
  if (
    /^(?:它|这个|那个|刚才的?|刚刚的?|这|那)(?:个)?(?:任务)?$|^(?:it|that|this|that one|this one|that task|this task|last task)$/i.test(
      text,
    )
  )
    return { by: 'last' };
  const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i.exec(text);
  if (id) return { by: 'id', id: id[0] };
  return {
    by: 'title',
    title: unquote(text.replace(/^(?:任务|待办|task|to-?do)\s*[:：]?\s*(?=\S)/i, '').replace(/(?:这个|那个)?任务$|\s+task$/i, '')),
  };
}

const QUOTES: Record<string, string> = { '「': '」', '『': '』', '“': '”', '"': '"', "'": "'", '‘': '’', '《': '》', '`': '`', '【': '】' };

function unquote(text: string): string {
  const bare = text.trim().replace(/[\s,，。.;；]+$/, '');
  const close = QUOTES[bare[0] ?? ''];
  const end = close === undefined ? -1 : bare.indexOf(close, 1);
  return end > 0 ? bare.slice(1, end) : bare;
}

function readNumber(word: string): number {
  if (/^\d+$/.test(word)) return Number(word);
  if (word === '两') return 2;
  return Math.max(NUMBERS.indexOf(word), NUMBER_WORDS.indexOf(word.toLowerCase()), 1);
}

export function isChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}
