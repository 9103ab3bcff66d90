/** Answers with `LanguageModel`, the browser's own model. */
import { createLocalFetch, type LocalModelEvent } from './local-model-fetch.js';
import { field, stringOf } from './read-fields.js';

/** The part of the API that we use, as in Chromium 156. The names in the second half are those of earlier versions. */
interface LanguageModelApi {
  availability(): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>;
  create(options: { initialPrompts: Prompt[]; signal: AbortSignal; monitor(target: EventTarget): void }): Promise<Session>;
}

interface Session {
  promptStreaming(input: string, options: { signal: AbortSignal }): ReadableStream<string>;
  destroy(): void;
  contextUsage?: number;
  measureContextUsage?(input: string): Promise<number>;
  inputUsage?: number;
  measureInputUsage?(input: string): Promise<number>;
}

interface Prompt {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** Reasons for a missing answer. The texts for users are in the message catalog. */
type Code = 'NO_MODEL' | 'NEEDS_GESTURE' | 'OVERFLOW';

class DeviceModelError extends Error {
  readonly code: Code;
  constructor(code: Code) {
    super();
    this.code = code;
  }
}

async function promptDevice(body: unknown, signal: AbortSignal, say: (event: LocalModelEvent) => void): Promise<void> {
  const api = (globalThis as { LanguageModel?: LanguageModelApi }).LanguageModel;
  const availability = api ? await api.availability() : 'unavailable';
  if (!api || availability === 'unavailable') throw new DeviceModelError('NO_MODEL');
  if (signal.aborted) return;

  const { beginning, question } = readConversation(body);
  const monitor = (target: EventTarget) => {
    target.addEventListener('downloadprogress', (event) => {
      const { loaded } = event as ProgressEvent; // 0 to 1, unlike other progress events
      if (availability !== 'available' && Number.isFinite(loaded)) say({ type: 'progress', fraction: Math.min(1, Math.max(0, loaded)) });
    });
  };
  const session = await api.create({ initialPrompts: beginning, signal, monitor }).catch((error: unknown) => {
    // The first download must follow a click. A page that may not use the model at all gets an error of the same name.
    const needsGesture = nameOf(error) === 'NotAllowedError' && availability !== 'available' && !isActive();
    throw needsGesture ? new DeviceModelError('NEEDS_GESTURE') : error;
  });
  const destroy = () => session.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    if (signal.aborted) return;
    const asked = (usedBy(session) ?? 0) + ((await measure(session, question)) ?? NaN);
    const reader = session.promptStreaming(question, { signal }).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) say({ type: 'text', content: read.value });
    const output = (usedBy(session) ?? NaN) - asked;
    say({ type: 'done', ...(Number.isFinite(output) && { usage: { input: asked, output: Math.max(0, output) } }) });
  } finally {
    signal.removeEventListener('abort', destroy);
    destroy();
  }
}

/** Splits the conversation: the last message is the question, the messages before it are the session's initial prompts. */
function readConversation(body: unknown): { beginning: Prompt[]; question: string } {
  const messages = field(body, 'messages');
  const turns = (Array.isArray(messages) ? messages : []).map((message: unknown): Prompt => ({
    role: field(message, 'role') === 'assistant' ? 'assistant' : 'user',
    content: stringOf(field(message, 'content')) ?? '',
  }));
  const system = stringOf(field(body, 'system'));
  const question = turns.pop()?.content ?? '';
  return { beginning: [...(system === undefined ? [] : [{ role: 'system', content: system } as const]), ...turns], question };
}

function errorOf(error: unknown): { code?: Code; message?: string } {
  if (error instanceof DeviceModelError) return { code: error.code };
  switch (nameOf(error)) {
    case 'QuotaExceededError':
      return { code: 'OVERFLOW' };
    case 'NotAllowedError': // a permissions policy
    case 'NotSupportedError': // a language, or no service behind the API
      return { code: 'NO_MODEL' };
    default:
      return { message: error instanceof Error ? error.message : '' };
  }
}

const nameOf = (error: unknown): string => stringOf(error instanceof Error ? error.name : undefined) ?? '';

/** Checks whether the user has just clicked or pressed a key. If the browser cannot tell, true is assumed. */
const isActive = (): boolean => (globalThis.navigator as Partial<Navigator> | undefined)?.userActivation?.isActive ?? true;

/** Returns the number of tokens in the session so far. */
const usedBy = (session: Session): number | undefined => session.contextUsage ?? session.inputUsage;

const measure = async (session: Session, input: string): Promise<number | undefined> =>
  session.measureContextUsage?.(input) ?? session.measureInputUsage?.(input);

export const fetchFromDevice = createLocalFetch(promptDevice, errorOf);
