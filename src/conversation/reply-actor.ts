/**
 * Reads one reply: prompt → request → bytes → wire events → parser → screen. The chart is told only what ends, begins or fails;
 * the text itself goes to the live reply (S0-08, S0-10, S0-37).
 */
import { fromCallback } from 'xstate';
import type { Log } from '../logging.js';
import { malformedCallResult } from '../prompts/results.js';
import type { PromptCache } from '../prompts/system-prompt.js';
import type { ProtocolParser, Segment, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import type { ToolRegistry } from '../tools/registry.js';
import { chooseWire } from '../transports/choose-wire.js';
import { failureOf } from '../transports/failure.js';
import { readReply, type ReplyOutcome } from '../transports/read-reply.js';
import { nextRetry, retryTables } from '../transports/retry.js';
import type { Wire, WireEvent } from '../transports/wire.js';
import type { ReplyInput } from './conversation-machine.js';
import { buildHistory } from './history.js';
import type { LiveReply } from './live-reply.js';
import type { Settings } from './settings.js';
import type { ConversationEvent, Failure, FinishedReply, Turn } from './turn.js';

export interface ReplyDependencies {
  registry: ToolRegistry;
  prompts: PromptCache;
  log: Log;
  wires: readonly Wire[];
  protocol(id: string): Promise<ToolProtocol>;
  /** Opens the live reply of this message; called once for each attempt. */
  openLive(messageId: string): LiveReply;
  createId(): string;
  /** Something visible was added. */
  onText(text: string): void;
  /** A call began or grew; `partial` until it is complete. */
  onCall(call: { requestId: string; name: string; params: Record<string, unknown>; partial: boolean }): void;
}

export function createReplyReader(dependencies: ReplyDependencies) {
  return fromCallback<ConversationEvent, ReplyInput>(({ sendBack, input }) => {
    const controller = new AbortController();
    read(input, dependencies, controller, sendBack).catch((error: unknown) => {
      if (controller.signal.aborted) return;
      dependencies.log.error('reply.unreadable', 'The reply could not be read', {}, { error });
      const live = dependencies.openLive(input.messageId);
      sendBack({ type: 'reply.failed', failure: loadFailure(), reply: live.finish({ finish: 'error', proof: 'unproved' }), retry: null });
    });
    return () => {
      controller.abort();
    };
  });
}

/** What is left when neither wire nor network is to blame: a part of the widget did not load. */
const loadFailure = (): Failure => ({ kind: 'load', code: 'CONNECT_FAILED', layer: 'network', errorType: 'network', retryable: true });

async function read(
  input: ReplyInput,
  dependencies: ReplyDependencies,
  controller: AbortController,
  sendBack: (event: ConversationEvent) => void,
): Promise<void> {
  const { turn, messageId } = input;
  const { settings } = turn;
  const { log, registry } = dependencies;
  const live = dependencies.openLive(messageId);
  const protocol = await dependencies.protocol(settings.protocol);
  const system = systemPromptFor(settings, protocol, registry, dependencies.prompts);
  if (!settings.endpoint) {
    const failure = { ...failureOf('config'), detail: settings.texts.noEndpoint };
    sendBack({ type: 'reply.failed', failure, reply: live.finish({ finish: 'error', proof: 'unproved' }), retry: null });
    return;
  }
  const endpoint = new URL(settings.endpoint, globalThis.document?.baseURI);
  const wire = await chooseWire(settings.wire, endpoint, dependencies.wires);
  if (controller.signal.aborted) return;
  log.debug('wire.chosen', `Wire: ${wire.id}`, { wire: wire.id, asked: settings.wire });

  // A call that stops growing is given up, so that a stalled model cannot hold the page (S0-30).
  let blockTimer: ReturnType<typeof setTimeout> | undefined;
  let stalled = false;
  const watchBlock = () => {
    clearTimeout(blockTimer);
    if (!live.openCall || settings.blockTimeout <= 0) return;
    blockTimer = setTimeout(() => {
      stalled = true;
      controller.abort();
    }, settings.blockTimeout);
  };

  const parser = createParser(input, protocol, dependencies, live, sendBack);
  let usage: FinishedReply['usage'];
  let model: string | undefined;
  const take = (event: WireEvent) => {
    if (event.type === 'text') {
      live.addRaw(event.text);
      log.debug('stream.chunk', 'Chunk', { text: event.text });
      parser.push(event.text);
      watchBlock();
    } else if (event.type === 'reasoning') live.addReasoning(event.text);
    else if (event.type === 'usage') {
      usage = { input: event.input, output: event.output };
      model = event.model ?? model;
    }
  };

  const outcome = await readReply(
    {
      wire,
      endpoint,
      turn: {
        messages: buildHistory(input.messages, input.calls, protocol, settings),
        system,
        maxTokens: settings.maxTokens,
        stream: settings.stream === 'on',
        ...(settings.model && { model: settings.model }),
      },
      ...(settings.headers && { headers: settings.headers }),
      fetch: settings.fetch,
      signal: controller.signal,
      requestTimeout: settings.requestTimeout,
      heartbeat: settings.heartbeat,
      lineChars: settings.limits.lineChars,
    },
    { event: take, warn: (message) => log.warn('stream.warning', message) },
  );
  clearTimeout(blockTimer);
  if (outcome.type === 'aborted' && !stalled) return;

  const finish = outcome.type === 'ended' ? outcome.finish : 'unknown';
  const withheld = finish === 'content-filter' || finish === 'error' || finish === 'aborted';
  const ended = outcome.type === 'ended' && !withheld;
  parser.end(ended ? (finish === 'length' ? 'length' : 'stop') : 'abort');
  const proof = outcome.type === 'ended' ? outcome.proof : 'unproved';
  const reply = live.finish({ finish: ended ? finish : '', proof, usage, model });
  live.end();
  sendBack(conclude(outcome, reply, turn, withheld, finish === 'content-filter'));
}

/** The chart's event for how it went. Only `reply.ended` lets calls run. */
function conclude(outcome: ReplyOutcome, reply: FinishedReply, turn: Turn, withheld: boolean, filtered: boolean): ConversationEvent {
  if (outcome.type === 'ended') {
    if (!withheld) return { type: 'reply.ended', reply };
    return { type: 'reply.failed', failure: failureOf(filtered ? 'content-filter' : 'endpoint'), reply, retry: null };
  }
  if (outcome.type === 'aborted') return { type: 'reply.cut', failure: failureOf('stall'), reply };
  if (outcome.type === 'cut') return { type: 'reply.cut', failure: outcome.error, reply };
  const failure: Failure = { ...outcome.error, ...(outcome.retryAfterMs !== undefined && { retryAfterMs: outcome.retryAfterMs }) };
  const table = retryTables[turn.settings.retries];
  // After the first event, or once a tool of this turn has run, asking again could double something (S0-98).
  const next = outcome.afterFirstEvent || turn.iterations > 0 ? null : nextRetry(table, turn.attempts, outcome);
  return {
    type: 'reply.failed',
    failure,
    reply,
    retry: next && { ...next, attempt: turn.attempts[next.class] + 1, of: table[next.class].length },
  };
}

export function systemPromptFor(settings: Settings, protocol: ToolProtocol, registry: ToolRegistry, prompts: PromptCache): string {
  return prompts.systemPrompt({
    systemPrompt: settings.systemPrompt,
    protocol,
    tools: describeTools(settings, protocol, registry),
    lang: settings.lang,
    callsPerTurn: settings.callsPerTurn,
    variables: settings.context,
  });
}

/** The tools as they are now, for the prompt of one request. */
function describeTools(settings: Settings, protocol: ToolProtocol, registry: ToolRegistry): ToolDescription[] {
  const tools = settings.tools === 'on' ? registry.list({ permissions: permissionsOf(settings.context) }) : [];
  return registry.describe(tools, protocol.id);
}

/** What the page permits; a tool that requires something is neither taught nor run without it (S0-82). */
export function permissionsOf(context: Readonly<Record<string, unknown>>): string[] {
  const permissions = Object.hasOwn(context, 'permissions') ? context['permissions'] : undefined;
  return Array.isArray(permissions) ? permissions.filter((one): one is string => typeof one === 'string') : [];
}

/** With tools off, or under a protocol that cannot stream, what the model writes is only text. */
function createParser(
  { turn, messageId }: ReplyInput,
  protocol: ToolProtocol,
  dependencies: ReplyDependencies,
  live: LiveReply,
  sendBack: (event: ConversationEvent) => void,
): ProtocolParser {
  const addText = (text: string) => {
    live.addText(text);
    dependencies.onText(text);
  };
  if (turn.settings.tools === 'off' || !protocol.createParser) return { push: addText, end: () => undefined };

  const take = (segment: Segment) => {
    switch (segment.type) {
      case 'text':
        addText(segment.text);
        return;
      case 'reasoning':
        live.addReasoning(segment.text);
        return;
      case 'call-start':
        live.openCallAt(segment.id, segment.name);
        sendBack({ type: 'call.opened' });
        dependencies.onCall({ requestId: segment.id, name: segment.name, params: {}, partial: true });
        return;
      case 'arguments':
        live.growCall(segment.key, segment.text);
        if (live.openCall) dependencies.onCall({ requestId: segment.id, name: live.openCall.name, params: { ...live.openCall.params }, partial: true });
        return;
      case 'call': {
        // A quoted call is an example: shown as text, never run.
        if (segment.flags?.includes('quoted')) return;
        if (live.openCall?.requestId !== segment.id) live.placeCall(segment.id);
        live.closeCall();
        const request = {
          requestId: segment.id,
          toolName: segment.name,
          arguments: segment.arguments,
          raw: segment.raw,
          flags: segment.flags ?? [],
        };
        dependencies.onCall({ requestId: segment.id, name: segment.name, params: { ...segment.arguments }, partial: false });
        sendBack({ type: 'call.closed' });
        sendBack({ type: 'call.found', request, messageId });
        return;
      }
      case 'call-error': {
        const requestId = segment.id ?? dependencies.createId();
        if (live.openCall?.requestId !== requestId) live.placeCall(requestId);
        live.closeCall();
        const toolName = segment.name ?? '';
        const { lang, texts, callsPerTurn } = turn.settings;
        const tools = describeTools(turn.settings, protocol, dependencies.registry);
        const result = malformedCallResult({ requestId, code: segment.code, name: segment.name }, { protocol, tools, texts, lang, callsPerTurn });
        dependencies.log.warn('call.broken', 'A tool call could not be read', { code: segment.code, toolName }, { errorType: 'invalid_format' });
        sendBack({ type: 'call.closed' });
        sendBack({ type: 'call.broken', broken: { requestId, toolName, raw: segment.raw, problem: segment.code }, messageId, result });
      }
    }
  };
  return protocol.createParser(take, { maxAccumulator: turn.settings.maxAccumulator, createId: dependencies.createId });
}
