/** The dialogue of the scripted model: computes the next reply from the request and the results so far. */
import { planAnyTool } from './any-tool.js';
import { runScenario } from './scenarios.js';
import { isChinese, readIntent } from './intents.js';
import type { Intent, Target } from './intents.js';
import { dayAfter } from './parsed-prompt.js';
import type { ParsedPrompt, ResultInPrompt, Task } from './parsed-prompt.js';
import { rememberedName, toldName } from './notes.js';
import type { PlannedCall } from './protocol.js';
import { project } from './projects.js';
import { en, zh } from './sentences.js';
import type { TaskPlace } from './sentences.js';
import type { Reply } from './scripted-request.js';

type Verb = Parameters<typeof zh.failed>[0];

const TASK_TOOLS: ReadonlySet<string> = new Set(['create_task', 'read_tasks', 'update_task', 'create_schedule', 'delete_task']);

const say = (text: string): Reply => ({ text, calls: [] });

/** Returns the next reply of a turn. It depends on the lesson only. */
export function reply(prompt: ParsedPrompt): Reply {
  const scenario = runScenario(prompt);
  if (scenario) return scenario;
  const intent = readIntent(prompt.request, dayAfter(prompt, 0));
  switch (intent.kind) {
    case 'create':
      return prompt.tools.has('create_task') ? create(prompt, intent) : anyTool(prompt, 'create');
    case 'list':
      return prompt.tools.has('read_tasks') ? list(prompt, intent) : anyTool(prompt, 'read');
    case 'complete':
    case 'rename':
    case 'schedule':
    case 'delete':
      return change(prompt, intent);
    default:
      return talk(prompt, intent);
  }
}

export function replyTo(prompt: ParsedPrompt): typeof zh {
  return isChinese(prompt.request) ? zh : en;
}

const hasTasks = ({ tools }: ParsedPrompt) => tools.has('create_task');

function talk(prompt: ParsedPrompt, { kind }: Intent): Reply {
  const words = replyTo(prompt);
  const more = project(prompt);
  if (more) return more;
  if (kind === 'hello') return say(words.hello(prompt.userName, hasTasks(prompt)));
  if (kind === 'thanks') return say(words.thanks);
  if (kind === 'date') return say(words.date(dayAfter(prompt, 0)));
  if (kind === 'help') return say(words.help([...prompt.tools.keys()], prompt.protocol?.write([exampleCall(prompt)]), hasTasks(prompt)));
  if (/我叫什么|我的名字|我是谁|what(?:'|’| i)s my name|who am i/i.test(prompt.request))
    return say(words.yourName(prompt.toldName ?? rememberedName(prompt.memory)));
  if (toldName(prompt.request)) return say(words.hello(toldName(prompt.request)!, hasTasks(prompt)));
  if (/记得(?:我|什么)|what do you remember/i.test(prompt.request)) return say(words.remembered(prompt.memory));
  return anyTool(prompt);
}

function exampleCall(prompt: ParsedPrompt): PlannedCall {
  const title = replyTo(prompt) === zh ? '完成项目报告' : 'Finish the report';
  const [tool] = hasTasks(prompt) ? [] : [...prompt.tools.values()];
  if (tool) return { name: tool.name, arguments: Object.fromEntries(tool.parameters.map(({ name }) => [name, '…'])) };
  return { name: 'create_task', arguments: { title } };
}

// --- Creating ---------------------------------------------------------------------------------------------------------------

function create(prompt: ParsedPrompt, intent: Intent & { kind: 'create' }): Reply {
  const words = replyTo(prompt);
  const { titles } = intent;
  const place = placeFor(prompt, intent.date);
  const calls = titles.map((title): PlannedCall => ({ name: 'create_task', arguments: { title, ...place.arguments } }));
  const outcomes = prompt.outcomes.filter(({ tool }) => tool === 'create_task');
  const next = nextCalls(prompt, calls, outcomes);
  if (next.length > 0) return { text: outcomes.length === 0 ? words.creating(titles.length) : '', calls: next };

  const failures = outcomes.filter(({ status }) => status !== 'success');
  const [first] = failures;
  if (!first) return say(words.created(titles.length, seenAt(outcomes, place.place)));
  if (failures.length < outcomes.length) {
    const by = (success: boolean) => titles.filter((_, n) => (outcomes[n]?.status === 'success') === success);
    return say(words.createdSome(by(true), by(false), first.message));
  }
  if (first.status === 'error' && titles.includes('')) return say(words.missingTitle);
  return say(explainFailure(prompt, 'create', first));
}

/** Returns the place of a new task: the day, area, or staging on the user's screen, or else today. */
function placeFor(prompt: ParsedPrompt, date: string | undefined): { place: TaskPlace; arguments: Record<string, string> } {
  const takes = (name: string) => prompt.tools.get('create_task')?.parameters.some((parameter) => parameter.name === name);
  const [kind, shown] = prompt.view?.split('::') ?? [];
  const day = date ?? (kind === 'daily' ? shown : kind === undefined ? prompt.today : undefined);
  const area = kind === 'area' && takes('area_id') ? shown : undefined;
  const dated = day !== undefined && takes('scheduled_date');
  const place: TaskPlace = dated
    ? day === prompt.today
      ? { in: 'today' }
      : { in: 'day', day }
    : area !== undefined
      ? { in: 'area' }
      : kind === undefined
        ? { in: 'today' }
        : { in: 'staging' };
  return { place, arguments: { ...(area !== undefined && { area_id: area }), ...(dated && { scheduled_date: day }) } };
}

/** Corrects the place by the result: a task without a day is in staging. */
function seenAt([outcome]: readonly ResultInPrompt[], planned: TaskPlace): TaskPlace {
  const [task] = outcome?.tasks ?? [];
  return planned.in === 'today' && task && hasDates(outcome?.data) && task.dates.length === 0 ? { in: 'staging' } : planned;
}

function hasDates(data: unknown): boolean {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, 'scheduled_dates');
}

// --- Reading ----------------------------------------------------------------------------------------------------------------

function list(prompt: ParsedPrompt, intent: Intent & { kind: 'list' }): Reply {
  const words = replyTo(prompt);
  const outcome = prompt.outcomes.findLast(({ tool }) => tool === 'read_tasks');
  if (!outcome) return { text: words.looking, calls: [read(listedView(prompt, intent))] };
  if (outcome.status !== 'success') return say(explainFailure(prompt, 'read', outcome));
  return say(outcome.tasks.length > 0 ? words.listed(outcome.tasks) : words.nothing);
}

function listedView(prompt: ParsedPrompt, { view, date }: Intent & { kind: 'list' }): string {
  if (view === 'staging') return 'staging';
  if (view === 'area' && prompt.view?.startsWith('area::')) return prompt.view;
  if (date !== undefined) return `daily::${date}`;
  return prompt.view ?? `daily::${dayAfter(prompt, 0)}`;
}

const read = (view: string): PlannedCall => ({ name: 'read_tasks', arguments: { view_context: view } });

// --- Changing an existing task ----------------------------------------------------------------------------------------------

type Change = Intent & { kind: 'complete' | 'rename' | 'schedule' | 'delete' };

const changeTools = { complete: 'update_task', rename: 'update_task', schedule: 'create_schedule', delete: 'delete_task' } as const;

function change(prompt: ParsedPrompt, intent: Change): Reply {
  const words = replyTo(prompt);
  const verb: Verb = intent.kind === 'complete' && !intent.done ? 'reopen' : intent.kind;
  const tool = changeTools[intent.kind];
  if (!prompt.tools.has(tool)) return anyTool(prompt, verb);

  const found = findTasks(prompt, intent.target);
  if (!Array.isArray(found)) return found;
  if (found.length > 1 && intent.kind === 'complete' && prompt.tools.has('batch_update_tasks')) {
    const meant = found.filter(({ completed }) => completed !== intent.done);
    return changeAtOnce(prompt, intent.done, verb, meant.length > 0 ? meant : found);
  }
  const calls = found.map(({ id }): PlannedCall => ({ name: tool, arguments: { task_id: id, ...changeArguments(intent) } }));
  const outcomes = prompt.outcomes.filter((outcome) => outcome.tool === tool);
  const next = nextCalls(prompt, calls, outcomes);
  const titles = found.map(({ title }) => title);
  if (next.length > 0) return { text: outcomes.length === 0 ? words.acting(verb, titles) : '', calls: next };

  const failure = outcomes.find(({ status }) => status !== 'success');
  const done = titles.filter((_, n) => outcomes[n]?.status === 'success');
  if (failure && done.length > 0 && intent.kind === 'delete') return say(words.deniedSome(done));
  if (failure) return say(explainFailure(prompt, verb, failure));
  switch (intent.kind) {
    case 'complete':
      return say(intent.done ? words.completed(titles) : words.reopened(titles));
    case 'rename':
      return say(words.renamed(titles[0]!, intent.title));
    case 'schedule':
      return say(words.scheduled(titles[0]!, intent.date));
    case 'delete':
      return say(words.deleted(titles));
  }
}

/** Changes all tasks in one call, so that it needs one approval. */
function changeAtOnce(prompt: ParsedPrompt, done: boolean, verb: Verb, found: readonly Task[]): Reply {
  const words = replyTo(prompt);
  const titles = found.map(({ title }) => title);
  const outcome = prompt.outcomes.findLast(({ tool }) => tool === 'batch_update_tasks');
  if (outcome?.status === 'success') return say(done ? words.completed(titles) : words.reopened(titles));
  if (outcome) return say(explainFailure(prompt, verb, outcome));
  const task_ids = JSON.stringify(found.map(({ id }) => id));
  return { text: words.acting(verb, titles), calls: [{ name: 'batch_update_tasks', arguments: { task_ids, completed: String(done) } }] };
}

function changeArguments(intent: Change): Record<string, string> {
  if (intent.kind === 'complete') return { completed: String(intent.done) };
  if (intent.kind === 'rename') return { title: intent.title };
  return intent.kind === 'schedule' ? { scheduled_date: intent.date } : {};
}

/** Returns the target tasks, or a reply that looks for them or says that there are none. */
function findTasks(prompt: ParsedPrompt, target: Target): Task[] | Reply {
  const words = replyTo(prompt);
  if (target.by === 'id') return [{ id: target.id, title: target.id, completed: false, dates: [] }];
  const known = prompt.earlier.flatMap(({ tasks }) => tasks).filter(({ id }, n, all) => !all.slice(n + 1).some((later) => later.id === id));
  if (target.by === 'last') {
    const last = known.at(-1);
    return last ? [last] : say(words.noLast);
  }
  if (target.by === 'title') {
    const task = known.findLast(({ title }) => same(title, target.title));
    if (task) return [task];
  }
  if (!prompt.tools.has('read_tasks')) return say(words.cannot('read'));

  const views = [...new Set([prompt.view ?? `daily::${dayAfter(prompt, 0)}`, `daily::${dayAfter(prompt, 0)}`, 'staging'])];
  const reads = prompt.outcomes.filter(({ tool }) => tool === 'read_tasks');
  const failure = reads.find(({ status }) => status !== 'success');
  if (failure) return say(explainFailure(prompt, 'read', failure));
  const seen = [...new Map(reads.flatMap(({ tasks }) => tasks).map((task) => [task.id, task])).values()];

  if (target.by !== 'title') {
    // List all views first. Listing changes nothing, so all calls may go into one reply.
    const next = nextCalls(prompt, views.map(read), reads);
    if (next.length > 0) return { text: reads.length === 0 ? words.looking : '', calls: next };
    const meant = target.by === 'all' ? seen : seen.filter(({ completed }) => completed);
    return meant.length > 0 ? meant : say(target.by === 'all' ? words.nothing : words.noneCompleted);
  }
  const matches = matching(seen, target.title);
  if (matches.length === 1) return matches;
  if (matches.length > 1) return say(words.whichOne(target.title, matches));
  const view = views[reads.length];
  if (view === undefined) return say(words.notFound(target.title, seen));
  return { text: reads.length === 0 ? words.looking : words.lookingElsewhere, calls: [read(view)] };
}

/** Returns the one task with that title, or else every task whose title contains the text. */
function matching(tasks: readonly Task[], title: string): Task[] {
  const exact = tasks.filter((task) => same(task.title, title));
  if (exact.length > 0) return [exact.find(({ completed }) => !completed) ?? exact[0]!];
  return tasks.filter((task) => title !== '' && task.title.toLowerCase().includes(title.toLowerCase()));
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

// --- Any other tool ---------------------------------------------------------------------------------------------------------

/** Replies by any other tool that the prompt describes. Without one, `verb` tells what the model cannot do. */
function anyTool(prompt: ParsedPrompt, verb?: Verb): Reply {
  const words = replyTo(prompt);
  const { outcomes } = prompt;
  const calls = planAnyTool(prompt.request, prompt.tools.values(), TASK_TOOLS);
  const next = nextCalls(prompt, calls, outcomes);
  const [call] = next;
  if (call) return { text: outcomes.length === 0 ? words.usingTool(call.name) : '', calls: next };
  const failure = outcomes.findLast(({ status }) => status !== 'success');
  if (failure) return say(explainFailure(prompt, 'tool', failure));
  const last = outcomes.at(-1);
  if (last) return say(withData(words.toolSaid(outcomes.map(({ message }) => message).join('\n\n')), last.data));
  return say(verb ? words.cannot(verb) : words.other(hasTasks(prompt)));
}

function withData(sentence: string, data: unknown): string {
  if (data === undefined || data === null) return sentence;
  return `${sentence}\n\n\`\`\`json\n${JSON.stringify(data, null, 2).slice(0, 2_000)}\n\`\`\``;
}

// --- Shared -----------------------------------------------------------------------------------------------------------------

/** Returns the remaining calls: all in one reply, or one if the prompt allows only one. */
function nextCalls(prompt: ParsedPrompt, calls: readonly PlannedCall[], outcomes: readonly ResultInPrompt[]): PlannedCall[] {
  // After a denial, do not try the next call.
  if (outcomes.some(({ status }) => status === 'denied' || status === 'cancelled')) return [];
  const rest = calls.slice(outcomes.length);
  return prompt.oneAtATime ? rest.slice(0, 1) : outcomes.length === 0 ? rest : [];
}

/** Returns the text about a call that did not succeed. */
function explainFailure(prompt: ParsedPrompt, verb: Verb, { status, message }: ResultInPrompt): string {
  const words = replyTo(prompt);
  if (status === 'denied') return words.denied(verb);
  return status === 'error' ? words.failed(verb, message) : words.stopped;
}
