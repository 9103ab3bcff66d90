/**
 * Reads one reply: prompt → request → bytes → wire events → parser → screen. The chart only gets what begins, ends or fails; the text
 * itself goes to the live reply.
 */
import { isLoadFailure, load } from '../../base/load.js';
import { fromCallback } from 'xstate';
import { createId } from '../../base/ids.js';
import { publicArguments } from '../../tools/sensitive.js';
import { chooseWire } from '../../transports/choose-wire.js';
import { failureOf } from '../../transports/failure.js';
import { readReply } from '../../transports/read-reply.js';
import type { ReplyOutcome, ReplyRequest, ReplySink } from '../../transports/reply-request.js';
import { createStopTokens } from '../../protocols/stop-tokens.js';
import { graceAfterWaking } from '../../transports/request-deadline.js';
import type { Wire, WireEvent } from '../../transports/wire.js';
import type { ConversationEvent, TurnFailure, FinishedReply, ReplyInput } from '../chart/chart-context.js';
import { callOf, hasBegun } from '../chart/call-records.js';
import { reloadFailure } from '../chart/conversation-changes.js';
import { toolNamed, type Chart, type ConversationServices } from '../chart/services.js';
import { whenSettled } from '../calls/chosen-tool.js';
import type { ComposedRequest, PromptContext } from '../request/prompt-input.js';
import { NATIVE } from '../request/protocol-registry.js';
import { budgetFailure } from '../request/token-budget.js';
import type { CachedAnswer } from './answer-cache.js';
import { mayContainCall, missingCall } from './may-contain-call.js';
import { classifyOutcome } from './degrade.js';
import type { StreamingReply } from './streaming-reply.js';
import { hasTools, openParsing, type Parsing } from './parsing.js';
import { hasOtherAddress, prepare, readAddress, resumableReplyIn, withoutTools } from './prepare-reply.js';
import type { ReplyDependencies, ReplyParts } from './reply-reading.js';
import { checkRelay } from './relay-checks.js';
import { createHostText } from './host-text.js';
import { notifyUnsentAttachments } from './unsent-attachments.js';

export function createReplyReader(chart: () => Chart, services: ConversationServices, speaker: PromptContext, parts: ReplyParts) {
  const { notifyHost: tell } = services;
  const dependencies: ReplyDependencies = {
    ...{ ...services, ...speaker, ...parts },
    createId: () => createId('call'),
    onText: () => undefined,
    onTextEnd: () => undefined,
    onCall({ requestId, name, params, partial }) {
      const tool = toolNamed(chart(), services, name);
      const shown = publicArguments(params, tool?.sensitive);
      if (tool?.onArguments) services.emit('written', { requestId, tool, params, partial });
      tell({ type: 'tool-detected', tool: { type: 'tool_use', name, params: shown, partial }, requestId });
    },
    hasBegun: (requestId) => hasBegun(callOf(chart().getSnapshot().context, requestId)),
    whenSettled: (requestId) => whenSettled(chart(), requestId),
  };
  return fromCallback<ConversationEvent, ReplyInput>(({ sendBack, input }) => {
    const controller = new AbortController();
    let stopped = false;
    // If a listener stops the turn, the rest of the current chunk is dropped.
    const isStopped = () => stopped;
    const { settings } = input.turn;
    const text = createHostText(
      (text) => void tell({ type: 'stream-chunk', text }),
      () => parts.arriving.live,
      settings.tools === 'on' ? services.registry : undefined,
    );
    const own = { ...dependencies, onText: text.add, onTextEnd: text.end };
    const start = () => {
      // If nothing is private, the reply is opened at once.
      const ready = services.privacy.ready(settings);
      if (!ready) return read(input, own, controller, sendBack, isStopped);
      return ready.then((guard) => {
        const [reading, told] = guard.reading(own, sendBack);
        return stopped ? undefined : read(input, reading, controller, told, isStopped);
      });
    };
    start().catch((error: unknown) => {
      if (stopped) return;
      controller.abort();
      const isMissing = isLoadFailure(error);
      const why = isMissing
        ? 'A part that the reply needs could not be loaded'
        : 'An error in the code that asks for the reply or reads it';
      dependencies.log.error('reply.unreadable', why, {}, { error });
      const live = dependencies.arriving.open(input.messageId);
      const reply = live.finish({ finish: 'error', proof: 'unproved' });
      text.end(reply.text);
      live.end();
      const offer = isMissing && settings.degrade === 'ask' && { offer: 'plain' as const };
      sendBack({ type: 'reply.failed', failure: { ...(isMissing ? loadFailure() : codeFailure()), ...offer }, reply, retry: null });
    });
    return () => {
      stopped = true;
      controller.abort();
    };
  });
}

/** Returns the failure of a part of the widget that did not load. */
const loadFailure = (): TurnFailure => ({ kind: 'load', code: 'CONNECT_FAILED', layer: 'network', errorType: 'network', retryable: true });

/** Returns the failure of code that was loaded: ours, or the page's, such as a protocol of its own. */
const codeFailure = (): TurnFailure => ({ kind: 'code', code: 'EXECUTION_FAILED', layer: 'execution', retryable: true });

/** The result of one request. What the parser finds is reported while the reply streams, and the outcome at the end. */
interface Attempt {
  outcome: ReplyOutcome;
  said: ComposedRequest;
  parsing: Parsing;
  stalled: boolean;
  usage: FinishedReply['usage'];
  model: string | undefined;
  kept?: CachedAnswer;
  /** True if the code for tools could not be loaded: the reply is only text. */
  plain: boolean;
}

async function read(
  input: ReplyInput,
  dependencies: ReplyDependencies,
  controller: AbortController,
  sendBack: (event: ConversationEvent) => void,
  isStopped: () => boolean,
): Promise<void> {
  const { turn } = input;
  const { settings } = turn;
  const { protocols } = dependencies;
  const rest = resumableReplyIn(input);
  const endpoint = settings.endpoint ? readAddress(settings.endpoint) : undefined;
  if (endpoint && rest) {
    // Until the network is there, the text from the page before is shown.
    await dependencies.connection.ready(endpoint, false, controller.signal, sendBack);
    if (isStopped()) return;
  }
  const live = dependencies.arriving.open(input.messageId);
  if (!endpoint) {
    const failure = failureOf('config', { detail: settings.endpoint ? settings.texts.checkEndpoint : settings.texts.noEndpoint });
    sendBack({ type: 'reply.failed', failure, reply: live.finish({ finish: 'error', proof: 'unproved' }), retry: null });
    return;
  }

  // The budget is checked once per turn: results of tools are sent, whatever that costs.
  if (!rest && turn.results.length === 0 && dependencies.budget.isUsedUp(settings)) {
    sendBack({
      type: 'reply.failed',
      failure: budgetFailure(settings),
      reply: live.finish({ finish: 'error', proof: 'unproved' }),
      retry: null,
    });
    return;
  }

  await dependencies.connection.ready(endpoint, turn.attempts.network > 0, controller.signal, sendBack);
  const wire = await chooseWire(settings.wire, endpoint, dependencies.wires);
  if (isStopped()) return;
  if (settings.wire !== 'auto' && wire.id !== settings.wire)
    dependencies.log.warn('config.wire', `There is no wire named “${settings.wire}”; using ${wire.id}`, { id: settings.wire });
  dependencies.log.debug('wire.chosen', `Wire: ${wire.id}`, { wire: wire.id, asked: settings.wire });
  if (!rest) await notifyUnsentAttachments(wire, input, dependencies);
  const ask = (protocolId: string) => attempt(protocolId, { wire, endpoint }, input, dependencies, controller, live, sendBack, isStopped);
  let protocolId = rest?.place.protocol ?? settings.protocol;
  if (protocolId === NATIVE && (wire.tools === false || protocols.refusesNative(settings, turn.id)))
    protocolId = protocols.textFor(settings);
  let made = await ask(protocolId);
  // A response with a status may teach us something. If the server cannot be reached, the code for that cannot be loaded either. A service
  // that was told of an approval may have run the call before it failed, so it is not asked twice.
  if (made?.outcome.type === 'failed' && made.outcome.error.status !== undefined && !made.said.answers && !isStopped()) {
    const { fallbackForError } = await load(() => import('../request/fallback-for-error.js'));
    const lesson = await fallbackForError(made.outcome, protocolId, made.said, input, dependencies, {
      endpoint,
      signal: controller.signal,
    });
    if (lesson && !isStopped()) made = await ask((protocolId = lesson.protocolId));
    if (made?.outcome.type === 'ended') lesson?.holds();
    else lesson?.fails?.();
  }
  if (!made || isStopped() || (made.outcome.type === 'aborted' && !made.stalled)) return;

  const { outcome, parsing, usage, model, kept, plain } = made;
  if (outcome.type === 'failed' && outcome.error.kind === 'gated') dependencies.gate.refused = true;
  const finish = outcome.type === 'ended' ? outcome.finish : 'unknown';
  const withheld = finish === 'content-filter' || finish === 'error' || finish === 'aborted';
  const ended = outcome.type === 'ended' && !withheld;
  const proof = outcome.type === 'ended' ? outcome.proof : 'unproved';
  await parsing.end(ended ? (finish === 'length' ? 'length' : 'stop') : 'abort', proof === 'proved');
  if (ended && !plain && (parsing.foreign || (!parsing.found && mayContainCall(live.text, protocolId, dependencies.registry)))) {
    // If this cannot be loaded, a call stays text. The reply must not be lost for that.
    const detection = await load(() => import('./detect-protocol.js')).catch(() => undefined);
    detection?.detectProtocol(
      { protocolId, parsing, live, isWhole: proof === 'proved' && finish !== 'length' },
      input,
      dependencies,
      sendBack,
    );
  }
  if (isStopped()) return;
  // Some gateways report for every answer that it ends in calls.
  const isAnswer = finish === 'tool-calls' && live.text.trim() !== '' && live.parts.every(({ type }) => type === 'text');
  const said = isAnswer && protocols.announcesFalsely(settings) ? 'stop' : finish;
  const whole = live.finish({ finish: ended ? said : '', proof, usage, model, cached: kept?.answer !== undefined });
  const missing = ended && !plain && hasTools({ input, dependencies }) && missingCall(whole, protocolId, dependencies.registry);
  if (missing)
    dependencies.log.warn('call.missing', 'A call was meant, and the reply holds none', { missing }, { errorType: 'invalid_format' });
  if (missing === 'announced' && isAnswer && turn.reminded) protocols.noteFalseAnnouncement(settings);
  const reply: FinishedReply = { ...whole, ...(missing && { missing }) };
  const event: ConversationEvent =
    rest && outcome.type === 'cut'
      ? { type: 'reply.cut', failure: reloadFailure, reply }
      : classifyOutcome(outcome, reply, turn, withheld, finish === 'content-filter', dependencies.degrading, () =>
          hasOtherAddress(wire, endpoint),
        );
  dependencies.onTextEnd(reply.text);
  const silent = !parsing.found && reply.parts.every((part) => part.type === 'text');
  if (event.type === 'reply.ended' && finish === 'stop' && proof === 'proved' && silent && reply.raw) kept?.keep(reply.raw);
  // Listeners of a reply that is requested again keep following it.
  if (event.type !== 'reply.failed' || !event.retry) live.end();
  sendBack(event);
}

async function attempt(
  protocolId: string,
  { wire, endpoint }: { wire: Wire; endpoint: URL },
  input: ReplyInput,
  dependencies: ReplyDependencies,
  controller: AbortController,
  live: StreamingReply,
  sendBack: (event: ConversationEvent) => void,
  isStopped: () => boolean,
): Promise<Attempt | undefined> {
  const { settings } = input.turn;
  const { log } = dependencies;
  const rest = resumableReplyIn(input);
  const { reader, planning, said: free, plain } = await prepare(protocolId, input, dependencies, sendBack, controller.signal);
  const said =
    settings.constrain === 'auto'
      ? await (
          await load(() => import('../request/constrain-output.js'))
        ).constrain(free, { wire, endpoint, settings }, dependencies, controller.signal)
      : free;
  if (isStopped()) return undefined;

  // Give up a call that has stopped growing, so that a stalled model cannot block the page.
  let stopBlockTimer = () => {};
  let stalled = false;
  let closed = false;
  const watchBlock = () => {
    stopBlockTimer();
    if (!live.openCall || settings.blockTimeout < 1) return;
    stopBlockTimer = graceAfterWaking(dependencies.setTimer)(() => {
      stalled = true;
      controller.abort();
    }, settings.blockTimeout);
  };

  let isOld = rest !== undefined;
  // The host already has this text, and calls that are found again keep their ids.
  const ids = rest?.parts.flatMap((part) => (part.type === 'call' ? part.requestId : part.type === 'plan' ? part.id : [])) ?? [];
  const quietly: Pick<ReplyDependencies, 'onText' | 'createId'> = {
    onText: (text) => void (isOld || dependencies.onText(text)),
    createId: () => (isOld ? ids.shift() : undefined) ?? dependencies.createId(),
  };
  const parsing = await openParsing(
    reader,
    {
      ...{ input: plain ? withoutTools(input) : input, live, sendBack, isStopped },
      dependencies: rest ? { ...dependencies, ...quietly } : dependencies,
      close() {
        closed = true;
        live.rebuildFromParts = true;
        controller.abort();
      },
    },
    planning,
  );
  let usage: FinishedReply['usage'];
  let model: string | undefined;
  /** True if the text alone is not everything, so that another page could not resume from it. */
  let isMore = false;
  // This is for developers who debug. If it cannot be loaded, the reply is read all the same.
  const chunks = log.hears('debug')
    ? await load(() => import('./chunk-log.js')).then(
        (part) => part.createChunkLog(log, wire.id),
        () => undefined,
      )
    : undefined;
  const stops = createStopTokens();
  const say = (text: string) => {
    if (!text) return;
    live.addRaw(text);
    parsing.push(text);
    chunks?.add(text, parsing.heldSecrets());
    if (!isStopped()) watchBlock();
  };
  const endText = async () => {
    const part = stops.held ? await load(() => import('../../protocols/is-in-code.js')).catch(() => undefined) : undefined;
    if (!isStopped()) say(stops.end((tokens) => part?.isPartOfText(live.raw, tokens) !== false));
    chunks?.end();
    stopBlockTimer();
  };
  const take = (event: WireEvent) => {
    chunks?.event(event);
    if (event.type === 'text') return say(stops.push(event.text));
    if (event.type === 'reasoning' || event.type === 'tool') say(stops.pause());
    if (event.type === 'reasoning') live.addReasoning(event.text);
    else if (event.type === 'tool') {
      isMore = true;
      live.resumePosition = undefined;
      parsing.tool(event);
      if (!isStopped()) watchBlock();
    } else if (event.type === 'state' || event.type === 'part') {
      const before = dependencies.shared.loading; // changes of the state are applied in the order of their arrival
      dependencies.shared.loading = Promise.all([load(() => import('./shared-state.js')), before]).then(
        ([{ takeShared }]) => takeShared(event, input, endpoint, dependencies),
        () => {}, // the failure was reported where it happened
      );
    } else if (event.type === 'progress') dependencies.emit('loaded', event.fraction);
    else if (event.type === 'usage') {
      usage = { input: event.input, output: event.output };
      model = event.model ?? model;
    }
  };

  if (rest) {
    live.addReasoning(rest.reasoning.slice(0, rest.place.reasoning));
    live.addRaw(rest.raw.slice(0, rest.place.raw));
    parsing.push(live.raw);
    live.resumePosition = rest.place;
    isOld = false;
    // The page before has already reported the text so far.
    dependencies.onText('');
    log.info('reply.resumed', 'The rest of a reply is asked for that another page began to read');
  }

  const cache = rest ? undefined : settings.answerCache;
  const question = { wire: wire.id, said, edition: dependencies.edition() };
  const kept = cache && (await (await load(() => import('./answer-cache.js'))).askCache(cache, input, question, dependencies));
  if (isStopped()) return undefined;
  if (kept?.answer !== undefined) {
    log.info('answer.cached', 'Answered from the cache: nothing was sent');
    take({ type: 'text', text: kept.answer });
    await endText();
    return { outcome: { type: 'ended', finish: 'stop', proof: 'unproved' }, said, parsing, stalled, usage, model, kept, plain };
  }

  await dependencies.shared.loading;
  const request: ReplyRequest = {
    wire,
    endpoint,
    auto: wire.id !== settings.wire,
    turn: {
      maxTokens: settings.maxTokens,
      ...said,
      stream: dependencies.degrading.streams(settings),
      sessionId: settings.sessionId,
      ...(input.turn.regenerates && input.turn.results.length === 0 && { regenerates: true as const }),
      ...dependencies.shared.of?.(input, endpoint),
      ...(settings.model && { model: settings.model }),
      ...(settings.temperature !== undefined &&
        !dependencies.windows.hasFixedTemperature(settings) && { temperature: settings.temperature }),
    },
    ...(settings.headers && { headers: settings.headers }),
    ...(settings.beforeSend && { beforeSend: settings.beforeSend }),
    fetch: settings.fetch,
    signal: controller.signal,
    requestTimeout: settings.requestTimeout,
    heartbeat: settings.heartbeat,
    lineChars: settings.limits.lineChars,
    setTimer: dependencies.setTimer,
    handedOn: dependencies.handedOn,
  };
  const on: ReplySink = {
    event: take,
    ...(chunks && { heard: chunks.heard }),
    warn: (message) => log.warn('stream.warning', message),
    missing() {
      live.incomplete = true;
      parsing.missing();
    },
    place(lastEventId) {
      if (!isMore && !stops.held)
        live.resumePosition = { lastEventId, protocol: protocolId, raw: live.raw.length, reasoning: live.reasoning.length };
    },
    // The network is silent now, and that has its own limits. The timer begins again with the next event.
    lost: () => stopBlockTimer(),
    answered: checkRelay({
      wire: { id: wire.id, own: dependencies.wires.includes(wire), temperature: wire.temperature },
      ...{ settings, config: said.config, log },
    }),
    chose(id, why) {
      chunks?.readAs(id);
      log.info('wire.detected', `The reply is read as ${id}: ${why}`, { wire: id });
    },
  };
  const reading = rest
    ? load(() => import('../../transports/resume-from.js')).then(({ resumeFrom }) => resumeFrom(request, rest.place.lastEventId, on))
    : readReply(request, on);
  const read = await reading.finally(endText);
  // A stream that we closed at the end of a complete call counts as ended.
  const outcome: ReplyOutcome = closed ? { type: 'ended', finish: 'stop', proof: 'proved' } : read;
  const answered = outcome.type !== 'failed' || outcome.afterFirstEvent;
  if (usage || (answered && settings.tokenBudget > 0)) await dependencies.budget.note(usage, said, live.raw + live.reasoning);
  return { outcome, said, parsing, stalled, usage, model, plain, ...(kept && { kept }) };
}
