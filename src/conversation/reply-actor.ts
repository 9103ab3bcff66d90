/**
 * Reads one reply: prompt → request → bytes → wire events → parser → screen. The chart is told only what ends, begins or fails;
 * the text itself goes to the live reply (S0-08, S0-10, S0-37).
 */
import { fromCallback } from 'xstate';
import type { PublishedResult } from '../calls.js';
import type { Log } from '../logging.js';
import { deepFreeze } from '../objects.js';
import { malformedCallResult } from '../prompts/malformed-call.js';
import type { ProtocolParser, ProtocolReader, Segment, ToolProtocol } from '../protocols/protocol.js';
import type { ToolRegistry } from '../tools/registry.js';
import type { ToolDefinition } from '../tools/tool.js';
import { HIDDEN } from '../tools/sensitive.js';
import { chooseWire } from '../transports/choose-wire.js';
import { failureOf } from '../transports/failure.js';
import { baseUrl } from '../transports/prepare-request.js';
import { readReply, type ReplyOutcome, type SetTimer } from '../transports/read-reply.js';
import { nextRetry, retryTables } from '../transports/retry.js';
import type { Wire, WireEvent } from '../transports/wire.js';
import type { ReplyInput } from './conversation-machine.js';
import { buildHistory } from './history.js';
import type { LiveReply } from './live-reply.js';
import type { Protocols } from './protocols.js';
import type { Settings } from './settings.js';
import type { CallRequest, ConversationEvent, Failure, FinishedReply, Turn } from './turn.js';

export interface ReplyDependencies {
  registry: ToolRegistry;
  log: Log;
  wires: readonly Wire[];
  protocols: Protocols;
  /** Opens the live reply of this message; called once for each attempt. */
  openLive(messageId: string): LiveReply;
  createId(): string;
  /** Something visible was added. */
  onText(text: string): void;
  /** Waits of this reader; `setTimeout`, or a test's clock. */
  setTimer: SetTimer;
  /** A call began or grew (told a few times a second, for each time costs as much as what has arrived); `partial` until it is complete. */
  onCall(call: { requestId: string; name: string; params: Record<string, unknown>; partial: boolean }): void;
}

export function createReplyReader(dependencies: ReplyDependencies) {
  return fromCallback<ConversationEvent, ReplyInput>(({ sendBack, input }) => {
    const controller = new AbortController();
    let stopped = false;
    // What a chunk still holds when a listener stops the turn is nobody's any more.
    const isStopped = () => stopped;
    read(input, dependencies, controller, sendBack, isStopped).catch((error: unknown) => {
      if (stopped) return;
      controller.abort();
      dependencies.log.error('reply.unreadable', 'The reply could not be read', {}, { error });
      const live = dependencies.openLive(input.messageId);
      const reply = live.finish({ finish: 'error', proof: 'unproved' });
      live.end();
      sendBack({ type: 'reply.failed', failure: loadFailure(), reply, retry: null });
    });
    return () => {
      stopped = true;
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
  isStopped: () => boolean,
): Promise<void> {
  const { turn, messageId } = input;
  const { settings } = turn;
  const { log, registry } = dependencies;
  const live = dependencies.openLive(messageId);
  const { protocols } = dependencies;
  const protocolId = protocols.known(settings.protocol);
  const reader = await protocols.reader(protocolId);
  const tools = usableTools(settings, registry);
  // A chat with nothing to teach and nothing to tell needs no more of the protocol, and nothing of the prompts.
  const plain = tools.length === 0 && input.calls.length === 0 && settings.systemPrompt === '';
  const { system, tell } = plain ? { system: '', tell: () => '' } : await wordingFor(settings, tools, await protocols.whole(protocolId));
  const endpoint = settings.endpoint ? readAddress(settings.endpoint) : undefined;
  if (!endpoint) {
    const failure = failureOf('config', { detail: settings.endpoint ? settings.texts.checkEndpoint : settings.texts.noEndpoint });
    sendBack({ type: 'reply.failed', failure, reply: live.finish({ finish: 'error', proof: 'unproved' }), retry: null });
    return;
  }
  const wire = await chooseWire(settings.wire, endpoint, dependencies.wires);
  if (isStopped()) return;
  log.debug('wire.chosen', `Wire: ${wire.id}`, { wire: wire.id, asked: settings.wire });

  // A call that stops growing is given up, so that a stalled model cannot hold the page (S0-30).
  let stopBlockTimer = () => {};
  let stalled = false;
  const watchBlock = () => {
    stopBlockTimer();
    if (!live.openCall || settings.blockTimeout < 1) return;
    stopBlockTimer = dependencies.setTimer(() => {
      stalled = true;
      controller.abort();
    }, settings.blockTimeout);
  };

  const parsing = openParser(input, reader, dependencies, live, sendBack, isStopped);
  let usage: FinishedReply['usage'];
  let model: string | undefined;
  const take = (event: WireEvent) => {
    if (event.type === 'text') {
      live.addRaw(event.text);
      parsing.push(event.text);
      log.debug('stream.chunk', 'Chunk', { text: parsing.heldSecrets() ? HIDDEN : event.text });
      if (!isStopped()) watchBlock();
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
        messages: buildHistory(input.messages, input.calls, settings, tell),
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
      setTimer: dependencies.setTimer,
    },
    { event: take, warn: (message) => log.warn('stream.warning', message) },
  ).finally(() => {
    stopBlockTimer();
  });
  if (isStopped() || (outcome.type === 'aborted' && !stalled)) return;

  const finish = outcome.type === 'ended' ? outcome.finish : 'unknown';
  const withheld = finish === 'content-filter' || finish === 'error' || finish === 'aborted';
  const ended = outcome.type === 'ended' && !withheld;
  parsing.end(ended ? (finish === 'length' ? 'length' : 'stop') : 'abort');
  const proof = outcome.type === 'ended' ? outcome.proof : 'unproved';
  const reply = live.finish({ finish: ended ? finish : '', proof, usage, model });
  const event = conclude(outcome, reply, turn, withheld, finish === 'content-filter');
  // Whoever follows a reply that is asked for again goes on following it.
  if (event.type !== 'reply.failed' || !event.retry) live.end();
  sendBack(event);
}

/** Relative addresses count from the page; where there is none, they are none. */
function readAddress(address: string): URL | undefined {
  try {
    return new URL(address, baseUrl());
  } catch {
    return undefined;
  }
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

/** What is written for the model besides what was said: the system prompt, and results in their envelope. */
export async function wordingFor(
  settings: Settings,
  tools: readonly ToolDefinition[],
  protocol: ToolProtocol,
): Promise<{ system: string; tell(results: readonly PublishedResult[]): string }> {
  const { buildSystemPrompt, describeTools, formatResults } = await import('../prompts/index.js');
  const options = { ...settings, protocol, tools: describeTools(tools, protocol.id), variables: settings.context };
  return { system: buildSystemPrompt(options), tell: (results) => formatResults(protocol, results, options) };
}

/** The tools as they are now, for one request. */
export function usableTools(settings: Settings, registry: ToolRegistry): ToolDefinition[] {
  return settings.tools === 'on' ? registry.list({ permissions: permissionsOf(settings.context) }) : [];
}

/** What the page permits; a tool that requires something is neither taught nor run without it (S0-82). */
export function permissionsOf(context: Readonly<Record<string, unknown>>): string[] {
  const permissions = Object.hasOwn(context, 'permissions') ? context['permissions'] : undefined;
  return Array.isArray(permissions) ? permissions.filter((one): one is string => typeof one === 'string') : [];
}

interface Parsing extends Pick<ProtocolParser, 'push' | 'end'> {
  /** Whether what was pushed last belonged to a call of a tool with sensitive parameters; such text stays out of the log. */
  heldSecrets(): boolean;
}

/** Milliseconds between two reports of a call that grows. */
const REPORT_EVERY = 50;

/** With tools off, or under a protocol that cannot stream, what the model writes is only text. */
function openParser(
  { turn, messageId }: ReplyInput,
  { id: protocolId, createParser }: ProtocolReader,
  dependencies: ReplyDependencies,
  live: LiveReply,
  sendBack: (event: ConversationEvent) => void,
  isStopped: () => boolean,
): Parsing {
  const { log, registry, createId, onText, onCall } = dependencies;
  let secrets = false;
  let reportedAt = 0;
  const addText = (text: string) => {
    live.addText(text);
    onText(text);
  };
  if (turn.settings.tools === 'off' || !createParser) return { push: addText, end: () => undefined, heldSecrets: () => false };

  const noteSecrets = (name: string | undefined) => {
    const { sensitive = false } = (name !== undefined && registry.get(name, protocolId)) || {};
    secrets ||= sensitive === true || (sensitive !== false && sensitive.length > 0);
  };
  const report = (requestId: string, name: string, params: Readonly<Record<string, unknown>>, partial: boolean) => {
    reportedAt = performance.now();
    onCall({ requestId, name, params: { ...params }, partial });
  };

  // One id is one call, whatever a host's protocol calls its own: what ran once under an id never runs under it again.
  const minted = new Set<string>();
  const renamed = new Map<string, string>();
  const mint = () => {
    const id = createId();
    minted.add(id);
    return id;
  };
  const idOf = (id: string | undefined): string => {
    if (id === undefined) return createId();
    if (minted.has(id)) return id;
    const ours = renamed.get(id) ?? createId();
    renamed.set(id, ours);
    return ours;
  };
  const forget = (id: string | undefined) => {
    if (id !== undefined && !minted.delete(id)) renamed.delete(id);
  };

  const take = (found: Segment) => {
    if (isStopped()) return;
    const segment = 'id' in found ? { ...found, id: idOf(found.id) } : found;
    if (found.type === 'call' || found.type === 'call-error') forget(found.id);
    switch (segment.type) {
      case 'text':
        addText(segment.text);
        return;
      case 'reasoning':
        live.addReasoning(segment.text);
        return;
      case 'call-start':
        noteSecrets(segment.name);
        live.openCallAt(segment.id, segment.name);
        sendBack({ type: 'call.opened' });
        report(segment.id, segment.name, {}, true);
        return;
      case 'arguments':
        live.growCall(segment.key, segment.text);
        if (live.openCall && performance.now() - reportedAt >= REPORT_EVERY)
          report(segment.id, live.openCall.name, live.openCall.params, true);
        return;
      case 'call': {
        noteSecrets(segment.name);
        // A quoted call is an example: it stands in the text already, and never runs.
        if (segment.flags?.includes('quoted')) {
          if (live.openCall?.requestId === segment.id) live.dropCall();
          sendBack({ type: 'call.closed' });
          return;
        }
        if (live.openCall?.requestId !== segment.id) live.placeCall(segment.id);
        live.closeCall();
        // Frozen: whoever hears of the call before it is checked gets no chance to change it.
        const request: CallRequest = deepFreeze({
          requestId: segment.id,
          toolName: segment.name,
          arguments: segment.arguments,
          raw: segment.raw,
          flags: segment.flags ?? [],
        });
        sendBack({ type: 'call.closed' });
        sendBack({ type: 'call.found', request, messageId });
        report(segment.id, segment.name, segment.arguments, false);
        return;
      }
      case 'call-error': {
        noteSecrets(segment.name);
        const requestId = segment.id ?? createId();
        if (live.openCall?.requestId !== requestId) live.placeCall(requestId);
        live.closeCall();
        const { code, name, raw } = segment;
        const toolName = name ?? '';
        const result = malformedCallResult({ requestId, code, name }, turn.settings.texts);
        log.warn('call.broken', 'A tool call could not be read', { code, toolName }, { errorType: 'invalid_format' });
        sendBack({ type: 'call.closed' });
        sendBack({ type: 'call.broken', broken: { requestId, toolName, raw, problem: code }, messageId, result });
      }
    }
  };
  const parser = createParser(take, { maxAccumulator: turn.settings.maxAccumulator, createId: mint });
  return {
    push(text) {
      secrets = false;
      noteSecrets(live.openCall?.name);
      parser.push(text);
    },
    end: (reason) => {
      parser.end(reason);
    },
    heldSecrets: () => secrets,
  };
}
