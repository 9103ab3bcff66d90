/** The common preparation of a turn's messages, before each wire writes them in its own format. */
import { field, stringOf } from './read-fields.js';
import { withAttachmentLabels, resultText } from './attachment-text.js';
import { isNative } from './native-tools.js';
import type { Image, ServedCall, TurnMessage, TurnRequest, Wire } from './wire.js';

export type { Image } from './wire.js';

export type ToolCall = NonNullable<TurnMessage['toolCalls']>[number];

export interface NormalizedMessage {
  role: 'user' | 'assistant' | 'system' | 'tool';
  text: string;
  /** The images of a user message. */
  images: Image[];
  /** The calls of an assistant message. */
  calls: ToolCall[];
  /** With role `tool`: the call that this answers. */
  answers?: { id: string; name: string; failed: boolean; output: unknown };
  /** The service's own calls in an assistant message. */
  served: ServedCall[];
}

/**
 * Returns the messages, with content that this wire cannot carry converted: attachments it does not `see` are named in the text, and
 * results of calls unknown to the service become data in a user message. Calls and results keep their own format only if tools are
 * declared, and only in pairs, because services reject one without the other. Empty messages are omitted.
 */
export function readMessages(turn: TurnRequest, sees: (image: Image) => boolean, native = isNative(turn)): NormalizedMessage[] {
  const answered = new Set(native ? turn.messages.map((message) => message.toolCallId) : []);
  const names = new Map<string, string>();
  /** New ids of calls: some services reuse an id in several rounds, and then reject the history. */
  const renamed = new Map<string, string>();
  const said: NormalizedMessage[] = [];
  for (const message of turn.messages) {
    const { role, toolCallId: id } = message;
    const one: NormalizedMessage = {
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
      one.text = resultText(message.toolName ?? '', message.text, message.failed ? 'failed' : undefined);
    const unseen: object[] = [];
    for (const attachment of message.attachments ?? []) {
      const image = one.role === 'user' ? imageOf(attachment) : undefined;
      if (image && sees(image)) one.images.push(image);
      else unseen.push(attachment);
    }
    one.text = withAttachmentLabels(one.text, unseen);
    if (one.text.trim() !== '' || one.images.length > 0 || one.calls.length > 0 || one.served.length > 0) said.push(one);
  }
  return said;
}

/** Accepts every image, for `Wire.images`. */
export const anyImage = () => true;

/** Accepts images with data, for services that do not fetch addresses. */
export const imageWithData = ({ data }: Image): boolean => data !== undefined;

/** Returns the attachments that a wire can only name: files that are not images, and images that it does not carry. */
export function unsentAttachments<One extends object>(attachments: readonly One[], images: Wire['images']): One[] {
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
 * Merges messages for services that require alternating turns: adjacent messages of one role become one, and the user begins. Every message
 * not from the assistant counts as the user's.
 */
export function mergeTurns<Part>(
  said: readonly NormalizedMessage[],
  write: (said: NormalizedMessage) => Part[],
  beginning: Part,
): { user: boolean; parts: Part[] }[] {
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

/** Replaces the user's first message if it is no longer known. */
export const MISSING_START = '…';
