/** Passes the calls, plans and questions of a reply to their cards and to the chart. Loaded before the first of them can be read. */
import { deepFreeze } from '../../base/objects.js';
import { addCallTexts } from '../../i18n/en-calls.js';
import { LOST_CALL_FLAG } from '../../tools/lost-call-flag.js';
import type { Segment, CallErrorCode } from '../../protocols/protocol.js';
import type { PlanStep } from '../../model/plan.js';
import type { ReplyPiece } from './block-reader.js';
import { setCallSink, type CallSink, type SinkState } from './lazy-call-sink.js';
import type { Reading } from './reply-reading.js';
import type { ParsedCall } from '../chart/chart-context.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { nameUnder } from '../../tools/registry.js';
import { bareName } from '../../tools/bare-name.js';
import type { PublishedResult } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';

addCallTexts();

/** Time between two reports of a call that grows, in milliseconds. */
const REPORT_EVERY = 50;

/** Registers the call taker. Every module that brings calls without a parser calls this at its top. */
export function createCallSink(): void {
  setCallSink(createSink);
}

createCallSink();

function createSink(reading: Reading, state: SinkState, hold: (requestId: string) => void): CallSink {
  const { input, protocolId, dependencies, live, sendBack, isStopped } = reading;
  const { log, registry, createId, onCall } = dependencies;
  const { turn, messageId } = input;
  let reportedAt = 0;
  const isPastCallLimit = () => state.calls > turn.settings.limits.callsPerReply;
  const count = () => {
    state.calls += 1;
    // The model must not be shown more calls than were read.
    live.rebuildFromParts ||= isPastCallLimit();
  };
  /** Calls whose card has its place. With `native`, they begin one after the other and are all completed at the end. */
  const placed = new Set<string>();
  const place = (requestId: string) => {
    if (!placed.has(requestId)) live.placeCall(requestId);
    placed.add(requestId);
    if (live.openCall?.requestId === requestId) live.closeCall();
  };

  const isSecret = (name: string | undefined): boolean => {
    const { sensitive = false } = (name !== undefined && registry.get(name, protocolId)) || {};
    return sensitive === true || (sensitive !== false && sensitive.length > 0);
  };
  const noteSecrets = (name: string | undefined) => {
    state.secrets ||= isSecret(name);
  };
  const report = (requestId: string, name: string, params: Readonly<Record<string, unknown>>, partial: boolean) => {
    reportedAt = performance.now();
    onCall({ requestId, name, params: { ...params }, partial });
  };

  const take: CallSink['take'] = (segment) => {
    switch (segment.type) {
      case 'call-start':
        noteSecrets(segment.name);
        placed.add(segment.id);
        live.openCallAt(segment.id, segment.name);
        sendBack({ type: 'call.opened' });
        report(segment.id, segment.name, {}, true);
        return;
      case 'arguments':
        live.growCall(segment.key, segment.text);
        if (live.openCall && performance.now() - reportedAt >= REPORT_EVERY)
          report(segment.id, live.openCall.name, live.openCall.params, true);
        return;
      case 'call':
        takeCall(segment);
        return;
      case 'call-error':
        takeBroken(segment);
        return;
      case 'block':
        takeBlock(segment);
        return;
      case 'broken-block':
        log.warn(
          'plan.broken',
          'A plan or a question of the model could not be read',
          { kind: segment.kind, problem: segment.problem },
          { errorType: 'invalid_format' },
        );
        if (segment.kind === 'task_plan') sendBack({ type: 'plan.broken', problem: segment.problem });
    }
  };

  function takeBlock({ block }: ReplyPiece & { type: 'block' }) {
    if (block.kind === 'clarify') {
      live.addBlock({ type: 'clarify', clarify: block.clarify });
      return;
    }
    const id = createId();
    // The input of a sensitive tool is left out of plans, because plans are shown, stored and sent to the model again.
    const { steps: named, unknown } = resolveTools(block.plan.steps, registry.list(), protocolId);
    const steps = named.map(({ input, ...step }): PlanStep => (input && !isSecret(step.tool) ? { ...step, input } : step));
    const plan = { ...block.plan, steps };
    if (unknown.length > 0) log.warn('plan.tools', 'A plan names tools that there are not', { names: unknown });
    live.rebuildFromParts ||= steps.some((step, at) => step.input === undefined && block.plan.steps[at]?.input !== undefined);
    live.addBlock({ type: 'plan', id, plan });
    sendBack({ type: 'plan.found', messageId, id, plan, unknown });
  }

  function takeCall(segment: Segment & { type: 'call' }) {
    const protocol = segment.protocol ?? protocolId;
    noteSecrets(segment.name);
    // A quoted call that names none of our tools is an example, and is already in the text.
    if (segment.flags?.includes('quoted') && !registry.has(segment.name, protocol)) {
      if (live.openCall?.requestId === segment.id) live.dropCall();
      sendBack({ type: 'call.closed' });
      return;
    }
    state.found = true;
    count();
    if (protocol !== protocolId) state.foreign = protocol;
    place(segment.id);
    // Show the model the correct form of its call, because it imitates what it has written.
    live.rebuildFromParts ||= segment.flags?.some((flag) => flag === 'repaired' || flag === 'foreign') === true;
    // Frozen, so that a listener cannot change the call before it is checked.
    const request: ParsedCall = deepFreeze({
      requestId: segment.id,
      toolName: segment.name,
      arguments: segment.arguments,
      raw: segment.raw,
      flags: [
        ...(segment.flags ?? []),
        ...(state.incomplete ? [LOST_CALL_FLAG] : []),
        // Otherwise the call would begin before the reply shows whether it is only a draft.
        ...(state.mayBeDraft && (turn.settings.dispatch === 'on-block' || turn.settings.afterCall === 'stop-stream') ? ['suspicious'] : []),
      ],
      protocol,
      ...(segment.providerId !== undefined && { providerId: segment.providerId }),
      ...(segment.signature !== undefined && { signature: segment.signature }),
    });
    state.sources.set(segment.id, segment.raw);
    sendBack({ type: 'call.closed' });
    sendBack({ type: 'call.found', request, messageId });
    report(segment.id, segment.name, segment.arguments, false);
    if (turn.settings.dispatch === 'on-block' && turn.settings.rehearse === 'off' && !isStopped()) hold(segment.id);
    if (turn.settings.afterCall === 'stop-stream') {
      state.closed = true;
      reading.close();
    }
  }

  function takeBroken(segment: Segment & { type: 'call-error' }) {
    if (isPastCallLimit()) return;
    state.found = true;
    count();
    noteSecrets(segment.name);
    const requestId = segment.id ?? createId();
    place(requestId);
    const { code, name, raw } = segment;
    state.sources.set(requestId, raw);
    const toolName = name ?? '';
    const result = malformedCallResult({ requestId, code, name, protocol: protocolId }, turn.settings.texts);
    log.warn('call.broken', 'A tool call could not be read', { code, toolName }, { errorType: 'invalid_format' });
    sendBack({ type: 'call.closed' });
    sendBack({ type: 'call.broken', broken: { requestId, toolName, raw, problem: code, protocol: protocolId }, messageId, result });
  }

  return { take, noteSecrets };
}

/**
 * Returns the steps with each tool under its name in this protocol. An unknown tool is removed from its step and listed in `unknown`: a
 * step that waited for it would block all others.
 */
export function resolveTools(
  steps: readonly PlanStep[],
  tools: readonly ToolDefinition[],
  protocolId: string,
): { steps: readonly PlanStep[]; unknown: readonly string[] } {
  const known = new Map<string, string>();
  for (const tool of tools) {
    const name = nameUnder(tool, protocolId);
    for (const spelling of [tool.origin?.method, ...Object.values(tool.aliases ?? {}), tool.name, name])
      if (spelling) known.set(bareName(spelling), name);
  }
  const exact = new Set(tools.map((tool) => nameUnder(tool, protocolId)));
  const unknown = new Set<string>();
  const resolved = steps.map((step): PlanStep => {
    if (step.tool === undefined || exact.has(step.tool)) return step;
    const tool = known.get(bareName(step.tool));
    if (tool !== undefined) return { ...step, tool };
    unknown.add(step.tool);
    const { tool: _, input: __, ...thought } = step;
    return thought;
  });
  return { steps: resolved, unknown: [...unknown] };
}

/**
 * Returns an error result; the call is never executed. Only the model is told how to write the call; the user only sees that nothing was
 * done.
 * @param call `name` as far as the parser got it, `protocol` for advice that fits the protocol
 */
export function malformedCallResult(
  call: { requestId: string; code: CallErrorCode; name?: string | undefined; protocol?: string },
  texts: Texts,
): PublishedResult {
  const { requestId, code: problem, name: toolName = '', protocol } = call;
  const code = 'MALFORMED_CALL';
  const told = texts.malformedCall(texts[problem === 'malformed' ? malformedTextFor(protocol) : PROBLEMS[problem]]);
  return Object.freeze({
    ...({ requestId, toolName, success: false, status: 'error', code, errorType: 'invalid_format', message: texts.callUnread } as const),
    result: `${code}: ${told}`,
    durationMs: 0,
  });
}

const PROBLEMS = {
  unclosed: 'problemUnclosed',
  missing_name: 'problemMissingName',
  bad_json: 'problemBadJson',
  bad_shape: 'problemBadShape',
  too_large: 'problemTooLarge',
} as const satisfies Record<Exclude<CallErrorCode, 'malformed'>, keyof Texts>;

/** Selects advice on how to escape the protocol's own marks in a value. Protocols with JSON values need no escaping. */
function malformedTextFor(protocol = 'xml-invoke') {
  return protocol === 'xml-invoke' ? 'problemMalformed' : protocol === 'vcp' ? 'problemMalformedVcp' : 'problemMisplaced';
}
