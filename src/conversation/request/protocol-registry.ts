/**
 * The protocols that a conversation can use. The host's take precedence over the built-in ones, and only the parts that are needed are
 * loaded.
 */
import { load } from '../../base/load.js';
import type { Log } from '../../base/logging.js';
import { builtIn, TOOL_CONTEXT, builtInReaders } from '../../protocols/built-in-protocols.js';
import type { ProtocolReader, ToolProtocol } from '../../protocols/protocol.js';
import { isFirst } from '../../base/log-once.js';
import type { Settings } from '../options/settings.js';

/** Calls are the service's own events instead of text, so no protocol is taught. */
export const NATIVE = 'native';
const DEFAULT = 'xml-invoke';

type Place = Pick<Settings, 'endpoint' | 'model'>;

export interface Protocols {
  /** @throws TypeError if the value cannot be a protocol */
  register(protocol: unknown): () => void;
  /**
   * Returns the id of the protocol to use, which may be `native`. `auto` follows what was learned, then the model; an unknown id logs a
   * warning and gives the default.
   */
  choose(settings: Pick<Settings, 'protocol' | 'protocolByModel' | 'endpoint' | 'model'>): string;
  /** Remembers that the model at this endpoint answers in another protocol: `auto` uses it from the next turn on. */
  learn(settings: Place, id: string): void;
  /** The protocols that were learned, to save them. An id that does not exist has no effect. */
  readonly learned: { get(settings: Place): string | undefined; set(settings: Place, id: string): void };
  /** True if the endpoint refused native tools earlier in this conversation, or if its model works without them. */
  refusesNative(settings: Place, turnId: string): boolean;
  /** Records a refusal. `turnId`: a turn that still continues with native tools. */
  noteRefusal(settings: Place, turnId?: string): void;
  /**
   * Records if the arguments of a reply's native calls could be parsed. Returns the text protocol to use from now on after two failures in
   * a row.
   */
  noteArguments(settings: Pick<Settings, 'protocolByModel' | 'endpoint' | 'model'>, readable: boolean): string | undefined;
  /** True if the service announces calls although the answer is complete. */
  announcesFalsely(settings: Place): boolean;
  noteFalseAnnouncement(settings: Place): void;
  /** Returns the text protocol for this model, for when `native` is not available. */
  textFor(settings: Pick<Settings, 'protocolByModel' | 'endpoint' | 'model'>): string;
  /** Loads the parser of a protocol; `id` must exist. */
  reader(id: string): Promise<ProtocolReader>;
  whole(id: string): Promise<ToolProtocol>;
}

/**
 * The protocol that suits each model best, by its training and by how weak models fail: long code is safer in `tool-code` than in JSON
 * strings, models trained on OpenAI's format write `json-tool-calls` reliably, and models that fence their calls anyway get `json-action`
 * right. The first row that matches the model's name applies.
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

/** Unreadable replies in a row after which native calls are no longer used for a model. */
const MOST_UNREAD = 2;

export function createProtocols(log: Log): Protocols {
  const own = new Map<string, unknown>();
  const adapted = new Map<unknown, ToolProtocol>();
  const learnt = new Map<string, string>();
  const exists = (id: string) => own.has(id) || builtIn[id] !== undefined || id === NATIVE;
  const place = ({ endpoint, model }: Place) => `${model} ${endpoint}`;

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
  /** The number of replies in a row whose native arguments could not be parsed. */
  const unread = new Map<string, number>();
  const falsely = new Set<string>();
  const byModelOf = (settings: Pick<Settings, 'protocolByModel' | 'endpoint' | 'model'>, allowed: (id: string) => boolean) => {
    // A provider prefix such as `openai/` says nothing about the model's format.
    const names = [settings.model, settings.model.slice(settings.model.lastIndexOf('/') + 1)].map((name) => name.toLowerCase());
    const rows = [...Object.entries(settings.protocolByModel), ...byModel];
    const row = rows.find(([pattern, id]) => allowed(id) && names.some((name) => fits(name, pattern.toLowerCase())));
    const id = learnt.get(place(settings));
    return id !== undefined && allowed(id) ? id : (row?.[1] ?? DEFAULT);
  };

  return {
    register(protocol) {
      // The full check is loaded with the first use. This one catches errors that would only show then.
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
    learned: { get: (settings) => learnt.get(place(settings)), set: (settings, id) => void learnt.set(place(settings), id) },
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

/** Matches `prefix*` or the whole name. */
const fits = (name: string, pattern: string): boolean => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern);
