/** The protocols a conversation can use: those of the host before the built-in ones, and of each only as much as is needed. */
import { load } from '../../base/load.js';
import type { Log } from '../../base/logging.js';
import { builtIn, TOOL_CONTEXT, builtInReaders } from '../../protocols/built-in-protocols.js';
import type { ProtocolReader, ToolProtocol } from '../../protocols/protocol.js';
import { isFirst } from '../../base/said-once.js';
import type { Settings } from '../options/settings.js';

/** Calls are the service's own events instead of text; there is nothing to teach. */
export const NATIVE = 'native';
const DEFAULT = 'xml-invoke';

export interface Protocols {
  /** @throws TypeError for what cannot be a protocol */
  register(protocol: unknown): () => void;
  /** The id that the settings come to, `native` included: `auto` by what was learnt, then by model; an unknown id is the default, with a warning. */
  choose(settings: Pick<Settings, 'protocol' | 'protocolByModel' | 'endpoint' | 'model'>): string;
  /** The model behind this endpoint has shown that it answers in another notation: `auto` follows it from the next turn on. */
  learn(settings: Pick<Settings, 'endpoint' | 'model'>, id: string): void;
  /** The endpoint refused native tools before, in this conversation, or its model does without them. */
  refusesNative(settings: Pick<Settings, 'endpoint' | 'model'>, turnId: string): boolean;
  /** `turnId`: the turn that goes on as it began. */
  noteRefusal(settings: Pick<Settings, 'endpoint' | 'model'>, turnId?: string): void;
  /**
   * Whether the arguments of a reply's native calls could be read. Returns the text protocol that is used from now on, if they could not be twice
   * in a row.
   */
  noteArguments(settings: Pick<Settings, 'protocolByModel' | 'endpoint' | 'model'>, readable: boolean): string | undefined;
  /** True if the service announces calls although the answer is complete. */
  announcesFalsely(settings: Pick<Settings, 'endpoint' | 'model'>): boolean;
  noteFalseAnnouncement(settings: Pick<Settings, 'endpoint' | 'model'>): void;
  /** The text protocol for this model, where `native` cannot be had. */
  textFor(settings: Pick<Settings, 'protocolByModel' | 'endpoint' | 'model'>): string;
  /** The half that reads; `id` exists. */
  reader(id: string): Promise<ProtocolReader>;
  whole(id: string): Promise<ToolProtocol>;
}

/**
 * Which notation a model is best at, by what its makers train it on and by how weak models fail: long code in JSON strings is safer in
 * `tool-code`, models trained on OpenAI's format keep to `json-tool-calls`, models that fence their calls anyway do it right in `json-action`. The first row that fits the model's name wins.
 */
const byModel: readonly (readonly [pattern: string, protocol: string])[] = [
  ['gpt*', 'json-tool-calls'],
  ['llama*', 'json-tool-calls'],
  ['mistral*', 'json-tool-calls'],
  ['claude*', 'xml-invoke'],
  ['deepseek*', 'tool-code'],
  ['qwen*', 'json-action'],
  ['gemini*', 'json-action'],
  ['gemma*', 'json-action'],
  ['*', DEFAULT],
];

/** Replies in a row after which a model's native calls are given up. */
const MOST_UNREAD = 2;

export function createProtocols(log: Log): Protocols {
  const own = new Map<string, unknown>();
  const adapted = new Map<unknown, ToolProtocol>();
  const learnt = new Map<string, string>();
  const exists = (id: string) => own.has(id) || builtIn[id] !== undefined || id === NATIVE;
  const place = ({ endpoint, model }: Pick<Settings, 'endpoint' | 'model'>) => `${model} ${endpoint}`;

  async function hosts(id: string): Promise<ToolProtocol | undefined> {
    const given = own.get(id);
    if (given === undefined) return undefined;
    const known = adapted.get(given);
    if (known) return known;
    const { asProtocol } = await load(() => import('../../protocols/adapt.js'));
    const protocol = asProtocol(given, (error) => log.warn('protocol.failed', `The protocol “${id}” failed on a text`, { id }, { error }));
    adapted.set(given, protocol);
    return protocol;
  }

  const refused = new Map<string, string | undefined>();
  /** Replies in a row whose native arguments could not be read. */
  const unread = new Map<string, number>();
  const falsely = new Set<string>();
  const byModelOf = (settings: Pick<Settings, 'protocolByModel' | 'endpoint' | 'model'>, allowed: (id: string) => boolean) => {
    // A provider's name before the model's says nothing about what the model writes.
    const names = [settings.model, settings.model.slice(settings.model.lastIndexOf('/') + 1)].map((name) => name.toLowerCase());
    const rows = [...Object.entries(settings.protocolByModel), ...byModel];
    const row = rows.find(([pattern, id]) => allowed(id) && names.some((name) => fits(name, pattern.toLowerCase())));
    return learnt.get(place(settings)) ?? row?.[1] ?? DEFAULT;
  };

  return {
    register(protocol) {
      // The whole check is loaded with the first use; what would only show then is checked here.
      const {
        parseToolRequests,
        parseResponse,
        id = parseResponse ? TOOL_CONTEXT : undefined,
      } = (protocol ?? {}) as Record<string, unknown>;
      if (typeof id !== 'string' || id === '' || id === 'auto' || id === NATIVE)
        throw new TypeError('A protocol needs an `id` that is neither empty, `auto` nor `native`.');
      if (typeof parseToolRequests !== 'function' && typeof parseResponse !== 'function')
        throw new TypeError(`The protocol “${id}” needs \`parseToolRequests(finalText)\`, or \`parseResponse\` of a ToolContextDef.`);
      own.set(id, protocol);
      return () => void (own.get(id) === protocol && own.delete(id));
    },
    choose(settings) {
      const asked = settings.protocol;
      if (asked !== 'auto' && exists(asked)) return asked;
      if (asked !== 'auto') {
        if (isFirst(log, `protocol ${asked}`))
          log.warn('config.protocol', `There is no protocol named “${asked}”; using ${DEFAULT}`, { id: asked });
        return DEFAULT;
      }
      return byModelOf(settings, exists);
    },
    learn(settings, id) {
      learnt.set(place(settings), id);
      log.info('protocol.learnt', `The model answers in ${id}; prompts use it from now on`, { id, model: settings.model });
    },
    refusesNative: (settings, turnId) => refused.has(place(settings)) && refused.get(place(settings)) !== turnId,
    noteRefusal: (settings, turnId) => void refused.set(place(settings), turnId),
    announcesFalsely: (settings) => falsely.has(place(settings)),
    noteFalseAnnouncement: (settings) => void falsely.add(place(settings)),
    noteArguments(settings, readable) {
      const times = readable ? 0 : (unread.get(place(settings)) ?? 0) + 1;
      unread.set(place(settings), times);
      if (times < MOST_UNREAD) return undefined;
      refused.set(place(settings), undefined);
      const instead = this.textFor(settings);
      log.warn(
        'protocol.unreadable',
        `The arguments of the model's native calls could not be read ${String(MOST_UNREAD)} times; its tools are described as ${instead} from now on. ` +
          'To begin so, set `protocol` or `protocolByModel`',
        { protocol: instead, model: settings.model },
      );
      return instead;
    },
    textFor: (settings) => byModelOf(settings, (id) => id !== NATIVE && exists(id)),
    reader: async (id) =>
      id === NATIVE
        ? (await load(() => import('../../protocols/native-reader.js'))).nativeReader
        : ((await hosts(id)) ?? load(builtInReaders[id]!)),
    whole: async (id) => (await hosts(id)) ?? load(builtIn[id]!),
  };
}

/** `prefix*`, or the whole name. */
const fits = (name: string, pattern: string): boolean => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern);
