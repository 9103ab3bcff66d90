/** What every wire has to settle about the messages of a turn before it writes them down in its own way. */
import { field, stringOf } from './read-fields.js';
import { inWords, resultInWords } from './in-words.js';
import { isNative } from './offered-tools.js';
import type { Image, ServedCall, TurnMessage, TurnRequest, Wire } from './wire.js';

export type { Image } from './wire.js';

export type ToolCall = NonNullable<TurnMessage['toolCalls']>[number];

export interface Said {
  role: 'user' | 'assistant' | 'system' | 'tool';
  text: string;
  /** Of a user. */
  images: Image[];
  /** Of an assistant. */
  calls: ToolCall[];
  /** With role `tool`: the call that this answers. */
  answers?: { id: string; name: string; failed: boolean; output: unknown };
  /** Of an assistant: calls of the service's own. */
  served: ServedCall[];
}

/**
 * The messages, with what this wire cannot carry turned into what it can: attachments it does not `see` are named in the text, results
 * of calls the service does not know become data in a user's message. Calls and results keep a form of their own only where tools are declared, and
 * only in pairs: services refuse one without the other. Messages that hold nothing are left out.
 */
export function readMessages(turn: TurnRequest, sees: (image: Image) => boolean, native = isNative(turn)): Said[] {
  const answered = new Set(native ? turn.messages.map((message) => message.toolCallId) : []);
  const names = new Map<string, string>();
  /** Some services give calls of several rounds one id, and refuse what they get back then. */
  const renamed = new Map<string, string>();
  const said: Said[] = [];
  for (const message of turn.messages) {
    const { role, toolCallId: id } = message;
    const one: Said = {
      role: role === 'assistant' || role === 'system' ? role : 'user',
      text: message.text,
      images: [],
      calls: [],
      served: message.served ?? [],
    };
    const name = id === undefined ? undefined : names.get(id);
    if (one.role === 'assistant') {
      one.calls = (message.toolCalls ?? []).filter((call) => answered.has(call.id));
      one.calls = one.calls.map((call) => {
        const id = names.has(call.id) ? `${call.id}_${String(names.size)}` : call.id;
        renamed.set(call.id, id);
        names.set(call.id, call.name).set(id, call.name);
        return { ...call, id };
      });
    } else if (role === 'tool' && id !== undefined && name !== undefined) {
      said.push({
        ...one,
        role: 'tool',
        answers: { id: renamed.get(id) ?? id, name, failed: message.failed === true, output: message.output },
      });
      continue;
    } else if (role === 'tool' && id !== undefined)
      one.text = resultInWords(message.toolName ?? '', message.text, message.failed ? 'failed' : undefined);
    const unseen: object[] = [];
    for (const attachment of message.attachments ?? []) {
      const image = one.role === 'user' ? imageOf(attachment) : undefined;
      if (image && sees(image)) one.images.push(image);
      else unseen.push(attachment);
    }
    one.text = inWords(one.text, unseen);
    if (one.text.trim() !== '' || one.images.length > 0 || one.calls.length > 0 || one.served.length > 0) said.push(one);
  }
  return said;
}

/** For `Wire.images`. */
export const anyImage = () => true;

/** For services that do not fetch what is only an address. */
export const imageWithData = ({ data }: Image): boolean => data !== undefined;

/** What of it a wire can only name: files that are no pictures, and pictures that it does not carry. */
export function leftBehind<One extends object>(attachments: readonly One[], images: Wire['images']): One[] {
  if (images === undefined) return [];
  return attachments.filter((attachment) => {
    const image = images && imageOf(attachment);
    return !(image && images(image));
  });
}

function imageOf(attachment: object): Image | undefined {
  const url = stringOf(field(attachment, 'url')) ?? '';
  if (!stringOf(field(attachment, 'type'))?.startsWith('image')) return undefined;
  if (/^https?:\/\//i.test(url)) return { url };
  const comma = url.indexOf(',');
  const [mediaType = '', ...more] = url.slice('data:'.length, comma).toLowerCase().split(';');
  const readable = url.startsWith('data:') && mediaType.startsWith('image/') && more.at(-1) === 'base64';
  return readable && comma > 0 ? { url, mediaType, data: url.slice(comma + 1) } : undefined;
}

/**
 * For services that want turns: neighbours of one role become one, and the user begins. Everything that no assistant said is the
 * user's.
 */
export function takeTurns<Part>(said: readonly Said[], write: (said: Said) => Part[], beginning: Part): { user: boolean; parts: Part[] }[] {
  const turns: { user: boolean; parts: Part[] }[] = [];
  for (const one of said) {
    const user = one.role !== 'assistant';
    const last = turns.at(-1);
    if (last?.user === user) last.parts.push(...write(one));
    else turns.push({ user, parts: write(one) });
  }
  if (turns[0]?.user === false) turns.unshift({ user: true, parts: [beginning] });
  return turns;
}

/** What stands where the user's first words would, when they are no longer known. */
export const UNKNOWN_BEGINNING = '…';
