/** Converts a turn to messages of the AI SDK (`UIMessage`, ai 5 to 7), the request format of an app made for `useChat`. */
import { isObject } from '../base/objects.js';
import { arrayOf, field, parseJson, stringOf } from './read-fields.js';
import { createMessageIds } from './message-ids.js';
import { anyImage, readMessages } from './wire-messages.js';
import type { NormalizedMessage } from './wire-messages.js';
import type { ServedCall, TurnRequest } from './wire.js';

type Answer = NonNullable<TurnRequest['answers']>[number];
type UiPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; state: 'done'; providerMetadata?: object }
  | { type: 'step-start' }
  | { type: 'file'; mediaType: string; url: string }
  | UiToolPart;

interface UiToolPart {
  type: `tool-${string}` | 'dynamic-tool';
  toolName?: string;
  toolCallId: string;
  state: 'approval-responded' | 'output-available' | 'output-error';
  input: unknown;
  output?: unknown;
  providerExecuted?: true;
  callProviderMetadata?: object;
  errorText?: string;
  approval?: object;
}

interface UiMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  parts: UiPart[];
}

/** Converts a turn. The result of a call, and the user's answer to an approval for it, are in the part of that call. */
export function toUiMessages(turn: TurnRequest): UiMessage[] {
  const createId = createMessageIds(turn.sessionId ?? '');
  const said = readMessages(turn, anyImage);
  const results = new Map(said.flatMap((one) => (one.answers ? [[one.answers.id, one]] : [])));
  const messages: UiMessage[] = [];
  const add = (role: UiMessage['role'], parts: UiPart[]) => {
    messages.push({ id: createId(role, JSON.stringify(parts.map(isPersistent))), role, parts });
  };

  for (const { role, text: words, images, calls, served } of said) {
    if (role === 'tool') continue;
    const answered = calls.filter((call) => results.has(call.id));
    const own = answered.map((call) => ({ call, result: results.get(call.id)!, kept: readKept(call.signature) }));
    const theirs = served.map((call) => ({ call, kept: readKept(call.signature) }));
    add(role, [
      // Each step begins with the model's reasoning; text after results begins a new step.
      ...theirs.flatMap(({ call, kept }, at): UiPart[] => [
        ...(at === 0 || kept.reasoning.length > 0 ? [{ type: 'step-start' as const }] : []),
        ...kept.reasoning,
        servedPart(call, kept),
      ]),
      ...(theirs.length > 0 && (words !== '' || own.length > 0) ? [{ type: 'step-start' as const }] : []),
      ...own.flatMap(({ kept }) => kept.reasoning),
      ...(words === '' ? [] : [{ type: 'text' as const, text: words }]),
      ...images.map(({ url, mediaType = 'image/*' }) => ({ type: 'file' as const, mediaType, url })),
      ...own.map(({ call, result, kept }) => resultPart(call, result, kept)),
    ]);
  }
  // The service looks for the answers in the last message, which must be the assistant's.
  const answers = (turn.answers ?? []).flatMap(answerPart);
  const last = messages.at(-1);
  if (last?.role === 'assistant') last.parts.push(...answers);
  else if (answers.length > 0) add('assistant', answers);
  return messages;
}

function resultPart(
  { id, name, arguments: input }: NormalizedMessage['calls'][number],
  result: NormalizedMessage,
  { metadata }: Kept,
): UiToolPart {
  const call = { ...{ type: `tool-${name}` as const, toolCallId: id, input }, ...(metadata && { callProviderMetadata: metadata }) };
  if (result.answers?.failed) return { ...call, state: 'output-error', errorText: result.text };
  return { ...call, state: 'output-available', output: result.answers?.output ?? result.text };
}

function servedPart({ id, name, arguments: input, output, failed }: ServedCall, { metadata, marks }: Kept): UiToolPart {
  const isDynamic = marks.includes('dynamic');
  const call = {
    ...(isDynamic ? { type: 'dynamic-tool' as const, toolName: name } : { type: `tool-${name}` as const }),
    ...{ toolCallId: id, input },
    ...(marks.includes('providerExecuted') && { providerExecuted: true as const }),
    ...(metadata && { callProviderMetadata: metadata }),
  };
  return failed ? { ...call, state: 'output-error', errorText: String(output) } : { ...call, state: 'output-available', output };
}

interface Kept {
  reasoning: Extract<UiPart, { type: 'reasoning' }>[];
  metadata?: object;
  marks: readonly unknown[];
}

/** Returns the data that this wire stored with a call, and none of another wire's. */
function readKept(signature: string | undefined): Kept {
  const json = signature?.startsWith('{') ? parseJson(signature) : undefined;
  const metadata = field(json, 'metadata');
  const reasoning = arrayOf(field(json, 'reasoning')).map((one): Kept['reasoning'][number] => {
    const providerMetadata = field(one, 'providerMetadata');
    return {
      type: 'reasoning',
      text: stringOf(field(one, 'text')) ?? '',
      state: 'done',
      ...(isObject(providerMetadata) && { providerMetadata }),
    };
  });
  return { reasoning, marks: arrayOf(field(json, 'marks')), ...(isObject(metadata) && { metadata }) };
}

/**
 * Creates the part that answers an approval. Such a service stores nothing: it runs whatever it receives as approved. Without the arguments
 * that is impossible, so nothing is sent.
 */
function answerPart({ id, toolCallId, toolName, arguments: input, approved, reason, keep }: Answer): UiToolPart[] {
  if (toolCallId === undefined || toolName === undefined || input === undefined) return [];
  const signature = stringOf(field(keep, 'signature'));
  const inputSchemaInput = field(keep, 'inputSchemaInput');
  return [
    {
      type: `tool-${toolName}`,
      toolCallId,
      state: 'approval-responded',
      input,
      approval: {
        id,
        approved,
        ...(reason !== undefined && { reason }),
        ...(signature !== undefined && { signature }),
        ...(inputSchemaInput !== undefined && { inputSchemaInput }),
      },
    },
  ];
}

/** Returns the stable content of a part, which does not change between requests. */
const isPersistent = (part: UiPart) => ('toolCallId' in part ? part.toolCallId : part);
