/** A turn as the messages of the AI SDK (`UIMessage`, ai 5 to 7): what an app made for `useChat` expects to be sent. */
import { field, stringOf } from './read-fields.js';
import { createMessageIds } from './message-ids.js';
import { anyImage, readMessages } from './wire-messages.js';
import type { Said } from './wire-messages.js';
import type { TurnRequest } from './wire.js';

type Answer = NonNullable<TurnRequest['answers']>[number];
type UiPart = { type: 'text'; text: string } | { type: 'file'; mediaType: string; url: string } | UiToolPart;

interface UiToolPart {
  type: `tool-${string}`;
  toolCallId: string;
  state: 'approval-responded' | 'output-available' | 'output-error';
  input: unknown;
  output?: string;
  errorText?: string;
  approval?: object;
}

interface UiMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  parts: UiPart[];
}

/** The result of a call stands in the part of that call, and so does what a person answered to a question about it. */
export function toUiMessages(turn: TurnRequest): UiMessage[] {
  const createId = createMessageIds(turn.sessionId ?? '');
  const said = readMessages(turn, anyImage);
  const results = new Map(said.flatMap((one) => (one.answers ? [[one.answers.id, one]] : [])));
  const messages: UiMessage[] = [];
  const add = (role: UiMessage['role'], parts: UiPart[]) => {
    messages.push({ id: createId(role, JSON.stringify(parts.map(lasting))), role, parts });
  };

  for (const { role, text: words, images, calls } of said) {
    if (role === 'tool') continue;
    add(role, [
      ...(words === '' ? [] : [{ type: 'text' as const, text: words }]),
      ...images.map(({ url, mediaType = 'image/*' }) => ({ type: 'file' as const, mediaType, url })),
      ...calls.flatMap((call) => resultPart(call, results.get(call.id))),
    ]);
  }
  // The service looks for them in the last message, which then has to be the assistant's.
  const answers = (turn.answers ?? []).flatMap(answerPart);
  const last = messages.at(-1);
  if (last?.role === 'assistant') last.parts.push(...answers);
  else if (answers.length > 0) add('assistant', answers);
  return messages;
}

function resultPart({ id, name, arguments: input }: Said['calls'][number], result: Said | undefined): UiToolPart[] {
  if (!result) return [];
  const call = { type: `tool-${name}`, toolCallId: id, input } as const;
  if (result.answers?.failed) return [{ ...call, state: 'output-error', errorText: result.text }];
  return [{ ...call, state: 'output-available', output: result.text }];
}

/** Such a service keeps nothing: it runs what it is told was approved. Without the arguments that cannot be said, so nothing is. */
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

/** What of a part does not change from one request to the next. */
const lasting = (part: UiPart) => ('toolCallId' in part ? part.toolCallId : part);
