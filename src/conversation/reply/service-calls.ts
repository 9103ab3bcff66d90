/**
 * Handles calls that arrive as events outside of the text. With `protocol="native"`, the page runs them like any other. Calls that a
 * service makes and runs itself are shown as its own and run nothing here. If a service waits for an approval, the user is asked.
 */
import { registerCallSteps } from '../chart/call-steps.js';
import { UNREAD_FLAG } from '../chart/call-records.js';
import { createCallSink } from './call-sink.js';
import { deepFreeze, isObject } from '../../base/objects.js';
import { fullEnglish } from '../../i18n/en.js';
import type { PublishedResult } from '../../model/calls.js';
import { createNativeCalls, hasRepeatedKey } from '../../protocols/native.js';
import type { Segment } from '../../protocols/protocol.js';
import { parseJson } from '../../transports/read-fields.js';
import type { ServiceApproval, ParsedCall } from '../chart/chart-context.js';
import type { Reading, ToolPiece } from './reply-reading.js';
import type { SegmentSink } from './segment-sink.js';

fullEnglish();
registerCallSteps();
createCallSink();

export interface ServiceCalls {
  take(piece: ToolPiece): void;
  end(reason: 'stop' | 'length' | 'abort'): void;
}

/** Maximum number of calls of one reply that are read, because the cost of a card grows with their number. */
const MOST = 250;

/** The known part of a call outside of the text. */
interface Seen {
  /** Our request id; '' until the call has a card. */
  requestId: string;
  name: string;
  source: string[];
  length: number;
  /** True if the service runs the call, or asks about it. */
  theirs: boolean;
  answered: boolean;
  providerId?: string;
  signature?: string;
  /** The result as the service sent it. */
  value?: unknown;
  approval?: ServiceApproval;
}

/** @param ours calls that the service does not run itself are the page's */
export function createServiceCalls(reading: Reading, sink: Pick<SegmentSink, 'take'>, ours: boolean): ServiceCalls {
  const { input, protocolId, dependencies, live, ids, sendBack, isStopped } = reading;
  const { texts, maxAccumulator, limits } = input.turn.settings;
  const most = Math.max(MOST, limits.callsPerReply + 1);
  const seen = new Map<number, Seen>();
  let isCut = false;
  const native = createNativeCalls(takeNative, {
    ...{ maxAccumulator, createId: ids.mint },
    isTool: (name) => dependencies.registry.has(name, protocolId),
  });
  /** Our calls that are complete. Until the end it is unknown whether the service will answer a call itself. */
  const complete: (Segment & { type: 'call' | 'call-error' })[] = [];

  function takeNative(segment: Segment) {
    if (segment.type === 'call' || segment.type === 'call-error') complete.push(segment);
    else sink.take(segment);
  }

  function take(piece: ToolPiece) {
    if (isStopped()) return;
    if (!seen.has(piece.index) && seen.size >= most) return cutOff();
    const call = seen.get(piece.index) ?? { requestId: '', name: '', source: [], length: 0, theirs: !ours, answered: false };
    seen.set(piece.index, call);
    if (piece.name) call.name = piece.name;
    if (piece.id !== undefined) call.providerId = piece.id;
    if (piece.signature !== undefined) call.signature = piece.signature;
    if (piece.value !== undefined) call.value = piece.value;
    // This is the result of a call that was approved. Everything else came in the reply before.
    const before = call.name ? undefined : input.calls.findLast(({ providerId }) => providerId !== undefined && providerId === piece.id);
    if (before) {
      call.name = before.toolName;
      call.source = [JSON.stringify(before.params)];
      if (before.signature !== undefined) call.signature ??= before.signature;
    }
    call.length += piece.arguments?.length ?? 0;
    if (piece.arguments && call.length <= maxAccumulator) call.source.push(piece.arguments);
    if (piece.approval) call.approval = piece.approval;
    call.theirs ||= piece.by === 'service' || piece.result !== undefined || piece.approval !== undefined;

    if (!call.theirs) call.requestId = native.take(piece) || call.requestId;
    else if (piece.result === undefined) show(call);
    else if (!call.answered) answer(call, piece.failed ? 'error' : 'success', piece.result);
  }

  /** Reports once that the reply has more calls than are read. */
  function cutOff() {
    if (isCut) return;
    isCut = true;
    dependencies.log.warn('reply.calls', `A reply has more than ${String(most)} calls; the rest is left out`, { most });
    dependencies.notices.add({ id: 'service-calls', text: (now) => now.noticeCallsCut(most) });
  }

  /**
   * Shows the card of a call that the service runs. A call that waits for an approval gets its card at the end of the reply, with buttons.
   */
  function show(call: Seen, result?: PublishedResult) {
    if (!call.name || call.approval) return;
    call.requestId ||= placeNew();
    close(call);
    sendBack({ type: 'call.served', request: deepFreeze(requestOf(call)), messageId: input.messageId, ...(result && { result }) });
  }

  /** Closes a call that had begun as one of ours. */
  function close({ requestId }: Seen) {
    if (live.openCall?.requestId !== requestId) return;
    live.closeCall();
    sendBack({ type: 'call.closed' });
  }

  const requestOf = (call: Seen): ParsedCall => ({
    requestId: call.requestId,
    toolName: call.name,
    arguments: argumentsOf(call),
    raw: '',
    flags: [],
    protocol: protocolId,
    ...(call.providerId !== undefined && { providerId: call.providerId }),
    ...(call.signature !== undefined && { signature: call.signature }),
  });

  function answer(call: Seen, status: 'success' | 'error' | 'cancelled', text: string) {
    call.answered = true;
    delete call.approval;
    call.requestId ||= placeNew();
    const { requestId, name: toolName } = call;
    const success = status === 'success';
    const message = success ? texts.serviceDid : status === 'error' ? texts.toolFailed : texts.serviceLeftOpen;
    const code = success ? {} : { code: status === 'error' ? ('EXECUTION_FAILED' as const) : ('CANCELLED' as const) };
    const data = success ? { data: call.value ?? parseJson(text) ?? text } : {};
    show(call, deepFreeze({ requestId, toolName, success, status, message, result: text, durationMs: 0, ...code, ...data }));
  }

  function placeNew(): string {
    const requestId = ids.mint();
    live.placeCall(requestId);
    return requestId;
  }

  function ask(call: Seen, approval: ServiceApproval) {
    close(call);
    call.requestId ||= placeNew();
    // The service runs the call with its own arguments. A card without them would ask for something unknown.
    const source = call.source.join('');
    const args = parseJson(source);
    const isRead = call.length <= maxAccumulator && (call.length === 0 || (isObject(args) && !hasRepeatedKey(source, args)));
    const request = { ...requestOf(call), toolName: call.name || approval.id, approval, flags: isRead ? [] : [UNREAD_FLAG] };
    dependencies.log.info('service.asks', 'The service waits for an approval', { toolName: request.toolName });
    sendBack({ type: 'call.found', messageId: input.messageId, request: deepFreeze(request) });
  }

  /** Notes how well the service writes arguments. Only arguments that are not valid JSON count against it. */
  function noteArguments(own: readonly Segment[]) {
    const isUnread = (segment: Segment) => segment.type === 'call-error' && (segment.code === 'bad_json' || segment.code === 'bad_shape');
    const unread = own.filter(isUnread).length;
    if (own.length === 0 || (unread > 0 && unread < own.length)) return;
    const left = dependencies.protocols.noteArguments(input.turn.settings, unread === 0);
    if (left) sendBack({ type: 'protocol.left', protocol: protocolId });
  }

  return {
    take,
    end(reason) {
      native.end(reason);
      const theirs = new Set([...seen.values()].filter((call) => call.theirs).map(({ requestId }) => requestId));
      const own = complete.filter(({ id = '' }) => !theirs.has(id));
      for (const segment of own) sink.take(segment);
      if (ours && reason === 'stop') noteArguments(own);
      for (const call of seen.values()) {
        if (!call.theirs || call.answered) continue;
        if (call.approval && reason !== 'abort') ask(call, call.approval);
        else if (call.name) answer(call, 'cancelled', '');
      }
    },
  };
}

function argumentsOf({ source }: Seen): Record<string, unknown> {
  const value = parseJson(source.join(''));
  return isObject(value) ? value : {};
}
