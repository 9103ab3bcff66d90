/** Parses a request: protocol and tools from the system prompt, the turn so far from the messages. */
import { addDays } from '../base/days.js';
import { isDay } from './intents.js';
import { readMemory, toldName } from './notes.js';
import { readNativeTools, type NativeTool, type ScriptedMessage } from './scripted-request.js';
import type { ScriptedProtocol, PromptTool } from './protocol.js';
import { scriptedProtocols } from './protocols.js';

export interface Task {
  id: string;
  title: string;
  completed: boolean;
  dates: string[];
}

/** A result in the request, parsed as far as possible. */
export interface ResultInPrompt {
  tool: string;
  status: string;
  /** First sentence of the result. */
  message: string;
  data: unknown;
  /** The tasks in `data`. */
  tasks: Task[];
}

export interface ParsedPrompt {
  /** The protocol of calls; `undefined` if the prompt describes none, or if calls are native. */
  protocol: ScriptedProtocol | undefined;
  /** True if the request carries the tools: calls are then native. */
  isNative: boolean;
  tools: ReadonlyMap<string, PromptTool>;
  /** True if the prompt allows only one call per reply. */
  oneAtATime: boolean;
  /** `YYYY-MM-DD`; `undefined` if the prompt has no date. */
  today: string | undefined;
  userName: string;
  /** The view on the user's screen: `daily::…`, `staging` or `area::…`. */
  view: string | undefined;
  promptInChinese: boolean;
  /** True if the prompt asks for a plan, or contains the state of one. */
  plans: boolean;
  /** True if the prompt describes how to ask questions with a card. */
  asks: boolean;
  /** The tool that the user chose for this message. */
  locked: string | undefined;
  /** Memory items from the prompt, one per line. */
  memory: string[];
  /** The name that the user gave in this conversation. */
  toldName: string | undefined;
  /** The user's last request. */
  request: string;
  /** Results since then, in order. */
  outcomes: ResultInPrompt[];
  /** Results of earlier turns, in order. */
  earlier: ResultInPrompt[];
}

/** Maximum length of a request, in UTF-16 units. It bounds the cost of all patterns. */
const MAX_REQUEST = 2_000;

export function parsePrompt(system: string, messages: readonly ScriptedMessage[], native?: readonly NativeTool[]): ParsedPrompt {
  const protocol = native ? undefined : scriptedProtocols.find((candidate) => candidate.isTaught(system));
  const tools = native ? readNativeTools(native) : (protocol?.readTools(system) ?? []);
  const lesson: ParsedPrompt = {
    protocol,
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
  /** Names of the tools in the last reply, for protocols whose results have no names. */
  let called: string[] = [];
  for (const message of messages) {
    const { role, text } = message;
    if (role === 'assistant') {
      called = protocol?.readCalls?.(text) ?? [];
      continue;
    }
    if (role === 'tool') {
      lesson.outcomes.push({ tool: message.name, ...readOutcome(text, statusIn(text) === 'denied' ? 'denied' : message.status) });
      continue;
    }
    const { results, rest } = protocol?.readResults(text) ?? { results: [], rest: text.trim() };
    lesson.outcomes.push(...results.map((told, n) => ({ tool: told.name ?? called[n] ?? '', ...readOutcome(told.text, told.status) })));
    // Text next to results is from the widget, other text from the user. But a text that explains the protocol is the widget's error
    // report.
    if (results.length > 0) continue;
    if (protocol?.isTaught(text)) {
      lesson.outcomes.push({ tool: '', status: 'error', message: rest, data: undefined, tasks: [] });
      continue;
    }
    lesson.earlier.push(...lesson.outcomes.splice(0));
    lesson.request = rest.slice(0, MAX_REQUEST);
    lesson.toldName = toldName(lesson.request) ?? lesson.toldName;
  }
  return lesson;
}

/** Returns the lesson's day plus a number of days, as `YYYY-MM-DD`. */
export function dayAfter(lesson: ParsedPrompt, days: number): string {
  return addDays(lesson.today ?? new Date().toISOString().slice(0, 10), days);
}

function readView(system: string): string | undefined {
  const view = line(system, '当前视图', 'Current view');
  if (/^(daily::[\d-]{10}|staging|area::[\w-]{1,64})$/.test(view)) return view;
  const area = line(system, '当前区域', 'Current area');
  return /^[\w-]{1,64}$/.test(area) ? `area::${area}` : undefined;
}

/** Returns the value of a line such as `Current date: 2024-01-15`. */
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

/** Parses a result: a sentence, perhaps with JSON on the next lines, or JSON alone. Without a status, the text decides. */
function readOutcome(told: string, status = ''): Omit<ResultInPrompt, 'tool'> {
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
