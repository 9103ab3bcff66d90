/** One request through a real conversation with the demo's own tools, whose work is done by a stub that records. */
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { fits, type Made, type Outcome } from './judge.js';
import type { EvalRequest } from './requests.js';

interface Demo {
  createTaskTools(options: { api: object; lang: string }): ToolDefinition[];
  permissions: string[];
  systemPrompt(lang: string): string;
}
const load = async (file: string) => (await import(new URL(`../../demo/${file}`, import.meta.url).href)) as Demo;
const { createTaskTools, permissions } = await load('tools.js');
const { systemPrompt } = await load('system-prompt.js');

export interface AskOptions {
  endpoint: string;
  model?: string;
  notation: string;
  /** Over what is measured by default. */
  options?: Partial<ConversationOptions>;
}

/** A person sits there who allows what the request wanted, and denies everything else. */
export async function ask(request: EvalRequest, { endpoint, model, notation, options }: AskOptions): Promise<Outcome> {
  const ran = new Set<string>();
  const asked = new Set<string>();
  const { lang } = request;
  const weekday = new Date().toLocaleDateString(lang, { weekday: 'long' });
  // A slow machine is no fault of the model's.
  const patient = { requestTimeout: 0, heartbeat: 0, blockTimeout: 0 };
  const chat = createConversation({
    endpoint,
    wire: 'openai',
    protocol: notation,
    ...(model !== undefined && { model }),
    lang,
    systemPrompt: systemPrompt(lang),
    context: { user_name: 'Mia', permissions: [...permissions], weekday, current_view: 'staging' },
    temperature: 0,
    maxTokens: 300,
    logger: silent,
    ...patient,
    ...options,
  });
  const inside = internalsOf(chat);
  inside.attachPerson();
  for (const tool of createTaskTools({ api: stubApi(), lang }))
    chat.registerTool({
      ...tool,
      execute(args, context) {
        ran.add(context.requestId);
        return tool.execute(args, context);
      },
    } as ToolDefinition<never>);
  const cards = () => Object.values(inside.surface.view.cards);
  const unsubscribe = chat.subscribe(() => {
    for (const { requestId, status, call } of cards()) {
      if (status !== 'awaiting_approval' || !call || asked.has(requestId)) continue;
      asked.add(requestId);
      const verdict = request.calls.some((one) => fits({ tool: call.toolName, args: call.args }, one)) ? 'allow' : 'deny';
      queueMicrotask(() => inside.decide({ requestId, digest: call.digest, verdict }));
    }
  });
  const start = performance.now();
  const { reason } = await chat.sendMessage(request.text);
  unsubscribe();
  const calls = cards().map(({ requestId, toolName, params, status, call, result }): Made => ({
    tool: toolName,
    args: call?.args ?? params,
    risk: call?.risk ?? 'undeclared',
    ran: ran.has(requestId),
    asked: asked.has(requestId),
    status,
    ...(result?.code && { code: result.code }),
  }));
  const replies = chat.messages.filter(({ role }) => role === 'assistant');
  const heard = replies.map(({ raw, text }) => raw ?? text).join('\n———\n');
  const outcome = { request, calls, shown: replies.map(({ text }) => text).join('\n'), heard, reason };
  chat.dispose();
  return { ...outcome, seconds: (performance.now() - start) / 1000 };
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Knows every task anybody asks for. */
function stubApi() {
  let made = 0;
  const task = (id: string, more: object = {}) => ({ id, title: `Task ${id}`, completed: false, area_id: null, schedules: [], ...more });
  return {
    areas: () => Promise.resolve({ areas: [] }),
    view: () => Promise.resolve({ tasks: [task('y-1', { title: 'Read the news' }), task('y-2', { title: 'Buy bread' })] }),
    task: (id: string) => Promise.resolve(task(id)),
    createTask: (wanted: object) => Promise.resolve(task(`new-${String((made += 1))}`, wanted)),
    updateTask: (id: string, changes: object) => Promise.resolve(task(id, changes)),
    deleteTask: () => Promise.resolve(null),
    schedule: (task_id: string, scheduled_date: string) => Promise.resolve({ schedule_id: 's-1', task_id, scheduled_date }),
    unschedule: () => Promise.resolve(null),
  };
}
