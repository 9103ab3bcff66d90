/** What the scripted model learns from a request: its notation and tools from the system prompt, the turn so far from the messages. */
import { addDays, isDay } from './dates.js';
import { notations } from './notations.js';
import type { ScriptedNotation, TaughtTool } from './notations.js';

export interface ScriptedMessage {
  role: 'user' | 'assistant';
  text: string;
}

export interface Task {
  id: string;
  title: string;
  completed: boolean;
  dates: string[];
}

/** A result the model was told, read as far as it can be. */
export interface Outcome {
  tool: string;
  status: string;
  /** Its first sentence. */
  message: string;
  data: unknown;
  /** The tasks in `data`. */
  tasks: Task[];
}

export interface Lesson {
  notation: ScriptedNotation | undefined;
  tools: ReadonlyMap<string, TaughtTool>;
  /** The prompt allows one call in a reply, without exception (S0-77). */
  oneAtATime: boolean;
  /** `YYYY-MM-DD`; `undefined` when the prompt does not say. */
  today: string | undefined;
  userName: string;
  /** The view on the person's screen: `daily::…`, `staging` or `area::…`. */
  view: string | undefined;
  promptInChinese: boolean;
  /** What the person asked for last. */
  request: string;
  /** What came back since, in order. */
  outcomes: Outcome[];
  /** What came back in earlier turns, in order. */
  earlier: Outcome[];
}

/** More than any person types; keeps every pattern below it cheap. */
const MAX_REQUEST = 2_000;

export function readLesson(system: string, messages: readonly ScriptedMessage[]): Lesson {
  const notation = notations.find((candidate) => candidate.isTaught(system));
  const lesson: Lesson = {
    notation,
    tools: new Map(notation?.readTools(system).map((tool) => [tool.name, tool])),
    oneAtATime: /^\d\. (?:每次只调用一个工具|Call one tool at a time)$/m.test(system),
    today: [line(system, '当前日期', 'Current date')].find(isDay),
    userName: line(system, '用户名称', 'User name'),
    view: readView(system),
    promptInChinese: /\p{Script=Han}{4}/u.test(system),
    request: '',
    outcomes: [],
    earlier: [],
  };
  for (const { role, text } of messages) {
    if (role === 'assistant') continue;
    const { results, rest } = notation?.readResults(text) ?? { results: [], rest: text.trim() };
    lesson.outcomes.push(...results.map(({ name, status, text: told }) => ({ tool: name, status, ...readOutcome(told) })));
    // Words beside results are the widget's, words alone a person's; but no person shows how a call is written.
    if (results.length > 0) continue;
    if (notation?.isTaught(text)) {
      lesson.outcomes.push({ tool: '', status: 'error', message: rest, data: undefined, tasks: [] });
      continue;
    }
    lesson.earlier.push(...lesson.outcomes.splice(0));
    lesson.request = rest.slice(0, MAX_REQUEST);
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

/** A sentence, then perhaps JSON on the lines after it; or JSON alone. */
function readOutcome(told: string): { message: string; data: unknown; tasks: Task[] } {
  const starts = [...told.matchAll(/^[ \t]*[[{]/gm)].slice(0, 20).map(({ index }) => index);
  for (const start of starts) {
    const json = parse(told.slice(start));
    if (json === undefined) continue;
    const whole = json as { message?: unknown; data?: unknown };
    const wrapped = typeof whole.message === 'string';
    const data = wrapped ? whole.data : json;
    return { message: wrapped ? String(whole.message) : told.slice(0, start).trim(), data, tasks: readTasks(data) };
  }
  return { message: told, data: undefined, tasks: [] };
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
