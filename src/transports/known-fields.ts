/**
 * The fields that the wires know, so that unknown ones can be listed in the log (lowest level) and in the inspector. Fields that mean
 * nothing to a reader, such as ids and times, are known, too.
 *
 * `a{b c}` has these fields, as an object or a list of objects; `a*` has any content; `{b *}` has further fields that do not matter; `a<b
 * c>` lists the values of its field `type`.
 */
import { isObject } from '../base/objects.js';
import { parseJson } from './read-fields.js';

const WORDS =
  '<text output_text input_text refusal thinking reasoning reasoning_text summary_text>{type text* refusal thinking* reasoning* summary* content* logprobs*}';
const CALLS = 'tool_calls{index id type function{index name arguments*}} function_call{name arguments*}';
const MESSAGE = `{role content${WORDS} reasoning_content${WORDS} reasoning${WORDS} reasoning_text${WORDS} thinking${WORDS} reasoning_details* refusal audio{id transcript expires_at} ${CALLS}}`;
const ERROR = 'error* message code type param detail retryable reason n_ctx';
const COMPLETION =
  `id object created model provider service_tier system_fingerprint obfuscation usage* timings* ${ERROR} ` +
  `choices{index finish_reason native_finish_reason stop_reason logprobs* delta${MESSAGE} message${MESSAGE}}`;
/** The fields that `whole-reply.ts` reads. */
const WHOLE = `${COMPLETION} data* reply${WORDS} finish_reason proved response_time_ms`;

const BLOCK = '<text thinking tool_use text_delta thinking_delta signature_delta input_json_delta>';
const BLOCK_FIELDS = `${BLOCK}{type id name input* text thinking signature partial_json stop_reason stop_sequence stop_details*}`;
const GEMINI =
  `candidates{index finishReason finishMessage safetyRatings* avgLogprobs tokenCount ` +
  `content{role parts{text thought thoughtSignature functionCall{id name args* partialArgs* willContinue}}}} ` +
  `promptFeedback* usageMetadata* modelVersion responseId createTime ${ERROR}`;
const OLLAMA =
  `model created_at message{role content${WORDS} thinking ${CALLS}} response done done_reason context* ` +
  `total_duration load_duration prompt_eval_count prompt_eval_duration eval_count eval_duration ${ERROR}`;
const ITEM = `<function_call message reasoning>{id type status role phase call_id name arguments* summary${WORDS} content${WORDS} encrypted_content}`;

/** The shapes by wire: that of a frame, and that of an unstreamed reply if it differs. */
const TABLES: Readonly<Record<string, readonly [frame: string, whole?: string]>> = {
  __proto__: null as never,
  openai: [`{${COMPLETION}}`, `{${WHOLE}}`],
  anthropic: [
    `<message message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping error>` +
      `{index request_id message{content${BLOCK_FIELDS} *} content${BLOCK_FIELDS} content_block${BLOCK_FIELDS} delta${BLOCK_FIELDS} ` +
      `usage* id role model stop_reason stop_sequence stop_details* ${ERROR}}`,
  ],
  gemini: [`{${GEMINI}}`],
  ollama: [`{${OLLAMA}}`],
  'openai-responses': [
    `<${['created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed'].map((name) => `response.${name}`).join(' ')} ` +
      [
        ...['output_item.added', 'output_item.done', 'content_part.added', 'content_part.done', 'output_text.delta', 'output_text.done'],
        ...['refusal.delta', 'refusal.done', 'reasoning_summary_part.added', 'reasoning_summary_part.done'],
        ...['reasoning_summary_text.delta', 'reasoning_summary_text.done', 'reasoning_text.delta', 'reasoning_text.done'],
        ...['function_call_arguments.delta', 'function_call_arguments.done'],
      ]
        .map((name) => `response.${name}`)
        .join(' ') +
      ` error keepalive>{sequence_number output_index content_index summary_index item_id call_id name item${ITEM} part${WORDS} ` +
      `delta text refusal arguments* logprobs* obfuscation status response{output${ITEM} *} ${ERROR}}`,
    `{output${ITEM} *}`,
  ],
  'ag-ui': [
    `<RUN_STARTED RUN_FINISHED RUN_ERROR STEP_STARTED STEP_FINISHED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TEXT_MESSAGE_CHUNK ` +
      `REASONING_START REASONING_END REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_MESSAGE_CHUNK ` +
      `THINKING_START THINKING_END THINKING_TEXT_MESSAGE_START THINKING_TEXT_MESSAGE_CONTENT THINKING_TEXT_MESSAGE_END ` +
      `TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_CHUNK TOOL_CALL_RESULT MESSAGES_SNAPSHOT ` +
      `STATE_SNAPSHOT STATE_DELTA REASONING_ENCRYPTED_VALUE>` +
      `{timestamp rawEvent* protocolVersion threadId runId parentRunId subagentRunId input* messageId parentMessageId role name title stepName ` +
      `delta* content* messages* snapshot* encryptedValue entityId subtype activityType toolCallId toolCallName usage* ` +
      `outcome{type interrupts{id message reason toolCallId *} pendingToolCallIds} ${ERROR}}`,
    `{${WHOLE}}`,
  ],
  'ui-message-stream': [
    `<start start-step finish-step reset-step text-start text-delta text-end reasoning-start reasoning-delta reasoning-end ` +
      `tool-input-start tool-input-delta tool-input-available tool-input-error tool-output-available tool-output-error tool-output-denied ` +
      `tool-approval-request finish error abort>` +
      `{id messageId delta toolCallId toolName title inputTextDelta input* output* errorText providerExecuted dynamic preliminary ` +
      `approvalId isAutomatic signature providerMetadata* inputSchemaInput* finishReason messageMetadata* transient ${ERROR}}`,
    `{${WHOLE}}`,
  ],
  cutie: [`<text reasoning done error message>{content usage* model finish_reason proved id ${ERROR}}`, `{${WHOLE}}`],
  text: ['{}', `{${WHOLE}}`],
};

interface Shape {
  fields: Map<string, Shape>;
  types?: Set<string>;
  /** True if other fields, and the content of a field without a shape, do not matter. */
  isOpen: boolean;
}

/** Parses the syntax above. */
function readShape(source: string): Shape {
  const tokens: readonly string[] = source.match(/[\w.-]+|[{}<>*]/g) ?? [];
  let at = 0;
  const read = (): Shape => {
    const shape: Shape = { fields: new Map(), isOpen: false };
    if (tokens[at] === '*') {
      shape.isOpen = true;
      at += 1;
    }
    if (tokens[at] === '<') {
      const end = tokens.indexOf('>', at);
      shape.types = new Set(tokens.slice(at + 1, end));
      at = end + 1;
    }
    if (tokens[at] !== '{') return shape;
    for (at += 1; tokens[at] !== '}';) {
      const name = tokens[at++]!;
      if (name === '*') shape.isOpen = true;
      else {
        const inner = read();
        // The first entry counts.
        if (!shape.fields.has(name)) shape.fields.set(name, inner);
      }
    }
    at += 1;
    return shape;
  };
  return read();
}

/** Maximum length of a reported name, in UTF-16 units. */
const NAME_CHARS = 60;
/** Maximum number of parts reported for one reply, and maximum depth. */
const MOST_PARTS = 100;
const DEEPEST = 12;

export interface UnknownFields {
  /** Takes a frame as text, with the name of its event; or a body, as its value. */
  hear(data: unknown, name?: string): void;
  /** Starts over, because another wire has read everything. */
  readAs(wireId: string): void;
  /** The parts that were not understood, each once: `choices[].delta.foo`, `type=foo`. */
  readonly parts: ReadonlySet<string>;
}

export function createUnknownFields(wireId: string): UnknownFields {
  const parts = new Set<string>();
  let frame: Shape | undefined;
  let whole: Shape | undefined;

  function readAs(id: string) {
    parts.clear();
    const [ofFrames, ofBody = ofFrames] = TABLES[id] ?? [];
    frame = ofFrames === undefined ? undefined : readShape(ofFrames);
    whole = ofBody === undefined ? undefined : readShape(ofBody);
  }
  readAs(wireId);

  function note(path: string) {
    if (parts.size < MOST_PARTS) parts.add(path);
  }

  function look(value: unknown, shape: Shape, path: string, depth: number, named?: string): void {
    if (depth > DEEPEST) return;
    if (Array.isArray(value)) {
      for (const one of value) look(one, shape, path && `${path}[]`, depth + 1);
      return;
    }
    if (!isObject(value)) return;
    const type = value['type'] ?? named;
    if (shape.types && typeof type === 'string' && !shape.types.has(type)) return note(`${path && `${path}.`}type=${cut(type)}`);
    for (const [name, inner] of Object.entries(value)) {
      const known = shape.fields.get(name);
      const at = `${path && `${path}.`}${cut(name)}`;
      if (known) {
        if (!known.isOpen || known.fields.size > 0) look(inner, known, at, depth + 1);
      } else if (!shape.isOpen && !(name === 'type' && shape.types) && !isEmpty(inner)) note(at);
    }
  }

  return {
    parts,
    readAs,
    hear(data, name) {
      const shape = typeof data === 'string' ? frame : whole;
      if (shape) look(typeof data === 'string' ? parseJson(data) : data, shape, '', 0, name);
    },
  };
}

const cut = (name: string): string => (name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS)}…` : name);

/** Checks whether a value carries no information. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0);
