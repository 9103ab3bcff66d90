/** A `modelContext` as the draft has it, or as Chrome 154 had it: input and schemas as JSON text. */
export interface Registered {
  name: string;
  title?: string;
  description: string;
  inputSchema?: object;
  annotations?: object;
  execute(input: unknown, options: { signal: AbortSignal | undefined }): unknown;
}

export class FakeContext extends EventTarget {
  readonly tools = new Map<string, Registered>();
  readonly calls: unknown[] = [];
  /** Of the frame whose tools these are. */
  origin = 'https://page.test';
  readonly #asText: boolean;
  readonly executeTool: (tool: { name: string }, input?: unknown, options?: { signal?: AbortSignal }) => Promise<string>;

  constructor(asText = false) {
    super();
    this.#asText = asText;
    const run = async ({ name }: { name: string }, input: unknown, signal: AbortSignal | undefined) => {
      this.calls.push(input);
      const given: unknown = asText ? JSON.parse(input as string) : input;
      const outcome = await this.tools.get(name)?.execute(given, { signal });
      return typeof outcome === 'string' ? outcome : (JSON.stringify(outcome) ?? 'undefined');
    };
    this.executeTool = asText
      ? (tool, input, ...[options]) => run(tool, input, options?.signal)
      : (tool, ...[input, options]) => run(tool, input, options?.signal);
  }

  registerTool(tool: Registered, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.tools.has(tool.name)) return Promise.reject(new DOMException('taken', 'InvalidStateError'));
    this.tools.set(tool.name, tool);
    signal?.addEventListener('abort', () => {
      this.tools.delete(tool.name);
      this.dispatchEvent(new Event('toolchange'));
    });
    this.dispatchEvent(new Event('toolchange'));
    return Promise.resolve();
  }

  getTools(): Promise<object[]> {
    return Promise.resolve(
      [...this.tools.values()].map(({ name, title = '', description, inputSchema = {}, annotations }) => ({
        ...{ name, title, description, annotations, origin: this.origin },
        inputSchema: this.#asText ? JSON.stringify(inputSchema) : inputSchema,
      })),
    );
  }
}
