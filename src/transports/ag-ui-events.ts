/** Converts AG-UI events to wire events: version 1.0, the chunk events, and the names of 0.x. */
import { argumentSource } from './native-tools.js';
import { readCount, field, arrayOf, stringOf, usageEvent } from './read-fields.js';
import { createPatchLimit, applyPatch } from './json-patch.js';
import { createToolIndexes, serviceResultText } from './tool-indexes.js';
import type { WireEvent } from './wire.js';

/** Creates a reader for one run. It takes an event with its type and returns wire events; an empty list is a ping. */
export function createAgUiReader(): (type: string, event: unknown) => WireEvent[] {
  const calls = createToolIndexes();
  const patchLimit = createPatchLimit();
  /** Messages with text that is not the agent's: an echo of the user, a system note. */
  const notTheAgents = new Set<string>();
  let spoken = ''; // the message whose text was shown last
  let said = false;
  let snapshot = ''; // the answer, as far as a snapshot has shown it
  let unanswered: readonly unknown[] = []; // the calls at the end of the last snapshot
  let textChunk = '';
  let callChunk = '';

  function begin(id: string, role: unknown) {
    if (typeof role === 'string' && role !== 'assistant') notTheAgents.add(id);
  }

  function speak(id: string, event: unknown): WireEvent[] {
    const delta = stringOf(field(event, 'delta'));
    if (delta === undefined || notTheAgents.has(id)) return [];
    // A subagent's text is addressed to the agent that called it. It is shown collapsed, and no call is read from it.
    if (isSubagents(event)) return [{ type: 'reasoning', text: delta }];
    const breaks = said && spoken !== id ? '\n\n' : '';
    said = true;
    spoken = id;
    return [{ type: 'text', text: breaks + delta }];
  }

  function tool(id: string, event: unknown): WireEvent[] {
    if (id === '') return [];
    const call = calls.call(id, stringOf(field(event, 'toolCallName')));
    call.settled ||= isSubagents(event);
    const delta = stringOf(field(event, 'delta'));
    return [call.piece({ ...(call.settled && { by: 'service' }), ...(delta !== undefined && { arguments: delta }) })];
  }

  function answered(event: unknown): WireEvent[] {
    const id = idOf(event, 'toolCallId');
    if (id === '') return [];
    // After a pause, the call itself was reported in the previous run, so only its id is known here.
    const call = calls.call(id);
    call.settled = true;
    return [call.piece({ by: 'service', result: contentText(field(event, 'content')) })];
  }

  /** Reads the complete message list that some agents send instead of streaming. Only a new answer at its end matters, and its calls. */
  function readSnapshot(event: unknown): WireEvent[] {
    const messages = arrayOf(field(event, 'messages'));
    // Answered calls have a message after them.
    unanswered = arrayOf(field(messages.at(-1), 'toolCalls'));
    if (said && snapshot === '') return [];
    const last = messages.findLast((message) => ['assistant', 'user'].includes(stringOf(field(message, 'role')) ?? ''));
    const content = field(last, 'role') === 'assistant' ? contentText(field(last, 'content')) : '';
    if (!content.startsWith(snapshot) || content.length === snapshot.length) return [];
    const more = content.slice(snapshot.length);
    said = true;
    spoken = idOf(last, 'id');
    snapshot = content;
    return [{ type: 'text', text: more }];
  }

  function finished(event: unknown): WireEvent[] {
    const outcome = field(event, 'outcome');
    const how = stringOf(outcome) ?? stringOf(field(outcome, 'type'));
    const usage = readTokens(field(event, 'usage'));
    if (field(outcome, 'type') === 'cancelled') return [...usage, { type: 'finish', finish: 'aborted', proved: true }];
    if (field(outcome, 'type') === 'interrupt')
      return [...usage, ...questions(field(outcome, 'interrupts')), { type: 'finish', finish: 'interrupt', proved: true }];

    const late = Array.from(calls.all()).length > 0 ? [] : unanswered.flatMap(readSnapshotCall);
    const open = [...calls.all()].filter((call) => !call.settled);
    // If the agent names the calls that it leaves to the page, the others are its own.
    const named = new Set(arrayOf(field(outcome, 'pendingToolCallIds')));
    const own = open.filter(({ id }) => named.size > 0 && !named.has(id));
    return [
      ...usage,
      ...late,
      ...own.map((call) => call.piece({ by: 'service' })),
      // A run without an outcome is a success. One with an unknown outcome may have broken off.
      { type: 'finish', finish: open.length > own.length ? 'tool-calls' : 'stop', proved: how === undefined || how === 'success' },
    ];
  }

  /** Reads a call that is only in a snapshot. The same call must not run twice, so it counts only if no call was streamed. */
  function readSnapshotCall(given: unknown): WireEvent[] {
    const id = idOf(given, 'id');
    const made = field(given, 'function');
    if (id === '') return [];
    const call = calls.call(id, stringOf(field(made, 'name')));
    return [call.piece({ arguments: argumentSource(field(made, 'arguments')) ?? '' })];
  }

  /** Returns the approvals that the run waits for. One without a tool call becomes a call of its own, under the id of the interrupt. */
  function questions(interrupts: unknown): WireEvent[] {
    return arrayOf(interrupts).flatMap((interrupt): WireEvent[] => {
      const id = idOf(interrupt, 'id');
      if (id === '') return [];
      const reason = stringOf(field(interrupt, 'message'));
      const call = calls.call(idOf(interrupt, 'toolCallId') || id, stringOf(field(interrupt, 'reason')));
      call.settled = true;
      return [call.piece({ by: 'service', approval: { id, ...(reason !== undefined && { reason }) } })];
    });
  }

  return (type, event) => {
    switch (type) {
      case 'TEXT_MESSAGE_START':
        begin(idOf(event, 'messageId'), field(event, 'role'));
        return [];
      case 'TEXT_MESSAGE_CONTENT':
        return speak(idOf(event, 'messageId'), event);
      case 'TEXT_MESSAGE_CHUNK':
        textChunk = idOf(event, 'messageId') || textChunk;
        begin(textChunk, field(event, 'role'));
        return speak(textChunk, event);
      case 'REASONING_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CHUNK':
      case 'THINKING_TEXT_MESSAGE_CONTENT': {
        const delta = stringOf(field(event, 'delta'));
        return delta === undefined ? [] : [{ type: 'reasoning', text: delta }];
      }
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_ARGS':
        return tool(idOf(event, 'toolCallId'), event);
      case 'TOOL_CALL_CHUNK':
        callChunk = idOf(event, 'toolCallId') || callChunk;
        return tool(callChunk, event);
      case 'TOOL_CALL_RESULT':
        return answered(event);
      case 'MESSAGES_SNAPSHOT':
        return readSnapshot(event);
      case 'RUN_FINISHED':
        return finished(event);
      case 'RUN_ERROR': {
        const code = stringOf(field(event, 'code'));
        const message = stringOf(field(event, 'message')) ?? '';
        return [...readTokens(field(event, 'usage')), { type: 'error', message, ...(code !== undefined && { code }) }];
      }
      case 'STATE_SNAPSHOT': {
        const state = field(event, 'snapshot');
        return state === undefined ? [] : [{ type: 'state', next: () => state }];
      }
      case 'STATE_DELTA': {
        const patch = field(event, 'delta');
        return Array.isArray(patch)
          ? [{ type: 'state', next: (before, onSkipped) => applyPatch(before ?? {}, patch, patchLimit, onSkipped) }]
          : [];
      }
      // Reasoning models need it back with the call.
      case 'REASONING_ENCRYPTED_VALUE': {
        const signature = stringOf(field(event, 'encryptedValue'));
        const call = calls.get(idOf(event, 'entityId'));
        return call && signature !== undefined ? [call.piece({ ...(call.settled && { by: 'service' }), signature })] : [];
      }
      case 'ACTIVITY_SNAPSHOT':
      case 'ACTIVITY_DELTA':
      case 'CUSTOM':
        return [{ type: 'part', kind: [type, stringOf(field(event, 'name') ?? field(event, 'activityType'))].filter(Boolean).join(' ') }];
      default: // steps, raw events, and future event types
        return [];
    }
  };
}

const idOf = (event: unknown, name: string): string => stringOf(field(event, name)) ?? '';

const isSubagents = (event: unknown): boolean => stringOf(field(event, 'subagentRunId')) !== undefined;

/** Returns the text of content that is either text or parts, some of them text. */
function contentText(content: unknown): string {
  if (Array.isArray(content))
    return arrayOf(content)
      .map((part) => stringOf(field(part, 'text')) ?? '')
      .join('');
  return content === undefined || content === null ? '' : serviceResultText(content);
}

/** Adds up the entries, one for each model that took part. */
function readTokens(usage: unknown): WireEvent[] {
  const entries = arrayOf(usage);
  if (entries.length === 0) return [];
  const sum = (name: string) => entries.reduce((total: number, entry) => total + (readCount(field(entry, name)) ?? 0), 0);
  const [model, ...others] = new Set(entries.map((entry) => stringOf(field(entry, 'model'))));
  const event = usageEvent(sum('inputTokens'), sum('outputTokens'), others.length === 0 ? model : undefined);
  return event ? [event] : [];
}
