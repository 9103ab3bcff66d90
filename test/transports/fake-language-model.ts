/** A `LanguageModel` of the shape measured in Chromium 156, whose answers the test writes. Nothing here has a model of its own to test with. */

type Prompt = { role: string; content: string };

export interface Script {
  availability?: 'unavailable' | 'downloadable' | 'downloading' | 'available';
  downloads?: number[];
  create?: Error;
  /** The answer in pieces; an error ends it, `hang` never does. */
  answer?: (string | Error | 'hang')[];
  /** Tokens that the window holds; every character is one. */
  contextWindow?: number;
}

export class FakeLanguageModel {
  static script: Script = {};
  static readonly opened: FakeLanguageModel[] = [];
  readonly contextWindow: number;
  contextUsage = 0;
  destroyed = false;
  asked = '';
  readonly initialPrompts: Prompt[];

  private constructor(initialPrompts: Prompt[]) {
    this.initialPrompts = initialPrompts;
    this.contextWindow = FakeLanguageModel.script.contextWindow ?? 1000;
    const refusal = this.#tooMuch(initialPrompts.map(({ content }) => content).join(''));
    if (refusal) throw refusal;
  }

  /** Puts the fake in the place of the browser's; the returned function takes it away again. */
  static install(script: Script): () => void {
    FakeLanguageModel.script = script;
    FakeLanguageModel.opened.length = 0;
    return replaceGlobal('LanguageModel', FakeLanguageModel);
  }

  static async availability(): Promise<string> {
    return FakeLanguageModel.script.availability ?? 'available';
  }

  static async create(options: { initialPrompts?: Prompt[]; signal?: AbortSignal; monitor?(target: EventTarget): void }) {
    options.signal?.throwIfAborted();
    const { downloads = [], create } = FakeLanguageModel.script;
    const target = new EventTarget();
    options.monitor?.(target);
    for (const loaded of downloads) {
      target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded }));
      await Promise.resolve();
    }
    if (create) throw create;
    const prompts = options.initialPrompts ?? [];
    if (prompts.slice(1).some(({ role }) => role === 'system')) throw new TypeError('A system prompt has to be the first');
    const session = new FakeLanguageModel(prompts);
    FakeLanguageModel.opened.push(session);
    return session;
  }

  async measureContextUsage(input: string): Promise<number> {
    return input.length;
  }

  promptStreaming(input: string, options: { signal?: AbortSignal } = {}): ReadableStream<string> {
    if (this.destroyed) throw new DOMException('The session was destroyed', 'InvalidStateError');
    const pieces = [...(FakeLanguageModel.script.answer ?? ['ok'])];
    this.asked = input;
    const refusal = this.#tooMuch(input);
    return new ReadableStream<string>({
      start: (controller) => {
        options.signal?.addEventListener('abort', () => controller.error(options.signal?.reason));
      },
      pull: async (controller) => {
        if (refusal) throw refusal;
        const piece = pieces.shift();
        if (piece === 'hang') return new Promise<void>(() => {});
        if (piece instanceof Error) throw piece;
        if (piece === undefined) return controller.close();
        this.contextUsage += piece.length;
        controller.enqueue(piece);
      },
    });
  }

  destroy(): void {
    this.destroyed = true;
  }

  #tooMuch(text: string): Error | undefined {
    if (this.contextUsage + text.length > this.contextWindow) return named('QuotaExceededError', 'The input is too large.');
    this.contextUsage += text.length;
    return undefined;
  }
}

/** Puts something else in the place of a global; the returned function puts back what was there. */
export function replaceGlobal(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true });
  return () => {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  };
}

export const named = (name: string, message = name): Error => new DOMException(message, name);
