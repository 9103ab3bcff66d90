/** What the scripted model learns from a request: its notation and tools from the system prompt, the turn so far from the messages. */
import { addDays, isDay } from './dates.js';
import { readMemory, toldName } from './notes.js';
import { readNativeTools } from './notations/native.js';
import type { NativeTool } from './notations/native.js';
import type { ScriptedNotation, TaughtTool } from './notations/notation.js';
import { notations } from './notations.js';
import type { ScriptedMessage } from './scripted-request.js';

export interface Task {
  id: string;
  title: string;
  completed: boolean;
  dates: string[];
}

/** A result the model was told, read as far as it can be. */
export interface ToldOutcome {
  tool: string;
  status: string;
  /** Its first sentence. */
  message: string;
  data: unknown;
  /** The tasks in `data`. */
  tasks: Task[];
}

export interface Lesson {
  /** How calls are written; `undefined` when the prompt teaches nothing, or when calls are made beside the text. */
  notation: ScriptedNotation | undefined;
  /** The tools came with the request: calls are made beside the text. */
  isNative: boolean;
  tools: ReadonlyMap<string, TaughtTool>;
  /** The prompt allows one call in a reply, without exception. */
  oneAtATime: boolean;
  /** `YYYY-MM-DD`; `undefined` when the prompt does not say. */
  today: string | undefined;
  userName: string;
  /** The view on the person's screen: `daily::…`, `staging` or `area::…`. */
  view: string | undefined;
  promptInChinese: boolean;
  /** The prompt asks for a plan, or tells how far one is. */
  plans: boolean;
  /** The prompt teaches how to ask with a card. */
  asks: boolean;
  /** The tool that the person chose for this message. */
  locked: string | undefined;
  /** What is remembered from before, a line each. */
  memory: string[];
  /** The name the person told in this conversation. */
  toldName: string | undefined;
  /** What the person asked for last. */
  request: string;
  /** What came back since, in order. */
  outcomes: ToldOutcome[];
  /** What came back in earlier turns, in order. */
  earlier: ToldOutcome[];
}

/** More than any person types; keeps every pattern below it cheap. */
const MAX_REQUEST = 2_000;

export function readLesson(system: string, messages: readonly ScriptedMessage[], native?: readonly NativeTool[]): Lesson {
  const notation = native ? undefined : notations.find((candidate) => candidate.isTaught(system));
  const tools = native ? readNativeTools(native) : (notation?.readTools(system) ?? []);
  const lesson: Lesson = {
    notation,
    isNative: native !== undefined,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    oneAtATime: /^(?:\d\. )?(?:每次只调用一个工具|Call one tool at a time)$/m.test(system),
    today: [line(system, '今天', 'Today'), line(system, '当前日期', 'Current date')].find(isDay),
    userName: line(system, '用户名称', 'User name'),
    view: readView(system),
    memory: readMemory(system),
    promptInChinese: /\p{Script=Han}{4}/u.test(system),
    plans: system.includes('task_plan'),
    asks: system.includes('"clarify"'),
    locked: /(?:用户已选定工具 |The user has chosen the tool )([\w-]{1,64})/.exec(system)?.[1],
    toldName: undefined,
    request: '',
    outcomes: [],
    earlier: [],
  };
  /** What the last reply called, for notations that do not say it with the result. */
  let called: string[] = [];
  for (const message of messages) {
    const { role, text } = message;
    if (role === 'assistant') {
      called = notation?.readCalls?.(text) ?? [];
      continue;
    }
    if (role === 'tool') {
      lesson.outcomes.push({ tool: message.name, ...readOutcome(text, statusIn(text) === 'denied' ? 'denied' : message.status) });
      continue;
    }
    const { results, rest } = notation?.readResults(text) ?? { results: [], rest: text.trim() };
    lesson.outcomes.push(...results.map((told, n) => ({ tool: told.name ?? called[n] ?? '', ...readOutcome(told.text, told.status) })));
    // Words beside results are the widget's, words alone a person's; but no person shows how a call is written.
    if (results.length > 0) continue;
    if (notation?.isTaught(text)) {
      lesson.outcomes.push({ tool: '', status: 'error', message: rest, data: undefined, tasks: [] });
      continue;
    }
    lesson.earlier.push(...lesson.outcomes.splice(0));
    lesson.request = rest.slice(0, MAX_REQUEST);
    lesson.toldName = toldName(lesson.request) ?? lesson.toldName;
  }
  return lesson;
}

/** The day of a word such as `tomorrow` counted from the lesson's day. */
export function dayAfter(lesson: Lesson, days: number): string {
  return addDays(lesson.today ?? new Date().toISOString().slice(0, 10), days);
}

function readView(system: string): string | undefined {
  const view = line(system, '当前视图', 'Current view');
  if (/^(daily::[\d-]{10}|staging|area::[\w-]{1,64})$/.test(view)) return view;
  const area = line(system, '当前区域', 'Current area');
  return /^[\w-]{1,64}$/.test(area) ? `area::${area}` : undefined;
}

/** The value of a line such as `Current date: 2024-01-15`. */
function line(system: string, ...labels: string[]): string {
  for (const text of system.split('\n')) {
    const label = labels.find((candidate) => text.startsWith(candidate) && /^ ?[:：]/.test(text.slice(candidate.length)));
    if (label)
      return text
        .slice(label.length)
        .replace(/^ ?[:：]/, '')
        .trim();
  }
  return '';
}

/** A sentence, then perhaps JSON on the lines after it; or JSON alone. Where no status is told, the words have to say it. */
function readOutcome(told: string, status = ''): Omit<ToldOutcome, 'tool'> {
  const starts = [...told.matchAll(/^[ \t]*[[{]/gm)].slice(0, 20).map(({ index }) => index);
  for (const start of starts) {
    const json = parse(told.slice(start));
    if (json === undefined) continue;
    const whole = json as { message?: unknown; data?: unknown };
    const wrapped = typeof whole.message === 'string';
    const data = wrapped ? whole.data : json;
    const message = wrapped ? String(whole.message) : told.slice(0, start).trim();
    return { status: status || statusIn(message), message, data, tasks: readTasks(data) };
  }
  return { status: status || statusIn(told), message: told, data: undefined, tasks: [] };
}

function statusIn(words: string): string {
  if (/用户拒绝|declined/.test(words)) return 'denied';
  if (/取消|cancelled/.test(words)) return 'cancelled';
  return /不能|失败|错误|不存在|无效|没有.*工具|缺少|\b(?:errors?|failed|must(?: not)?|invalid|missing|unknown|cannot|no such|not found)\b/i.test(
    words,
  )
    ? 'error'
    : 'success';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readTasks(data: unknown): Task[] {
  const listed: unknown = Array.isArray(data) ? data : ((data as { tasks?: unknown } | null | undefined)?.tasks ?? [data]);
  return (Array.isArray(listed) ? listed : []).flatMap((item: unknown): Task[] => {
    const { id, title, completed, scheduled_dates, scheduled_date } = (item ?? {}) as Record<string, unknown>;
    if ((typeof id !== 'string' && typeof id !== 'number') || typeof title !== 'string') return [];
    const dates = Array.isArray(scheduled_dates) ? scheduled_dates : scheduled_date ? [scheduled_date] : [];
    return [{ id: String(id), title, completed: completed === true, dates: dates.map(String) }];
  });
}
