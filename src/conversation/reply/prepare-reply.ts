/** Prepares one request, and the reader of its reply. */
import { isLoadFailure, load } from '../../base/load.js';
import { baseUrl } from '../../transports/prepare-request.js';
import type { Wire } from '../../transports/wire.js';
import type { ConversationEvent, ReplyInput, ResumableReply } from '../chart/chart-context.js';
import { loadCallSteps } from '../chart/lazy-call-steps.js';
import type { ComposedRequest } from '../request/prompt-input.js';
import { buildPlainRequest, buildRequest } from '../request/request-messages.js';
import { loadCallSink } from './lazy-call-sink.js';
import { hasTools } from './parsing.js';
import type { ReplyDependencies } from './reply-reading.js';

/** Returns what another page has read of this same reply. */
export const resumableReplyIn = ({ turn, messageId }: ReplyInput): ResumableReply | undefined =>
  turn.resumableReply?.messageId === messageId ? turn.resumableReply : undefined;

/**
 * Composes the request and chooses the reader of its reply. If the code for that cannot be loaded, the conversation continues without
 * tools.
 */
export async function prepare(
  protocolId: string,
  input: ReplyInput,
  dependencies: ReplyDependencies,
  sendBack: (event: ConversationEvent) => void,
  signal: AbortSignal,
) {
  const { settings, iterations } = input.turn;
  try {
    const read = () => dependencies.protocols.reader(protocolId);
    let reader = hasTools({ input, dependencies }) ? await read() : undefined;
    const plans = settings.planning === 'threshold' || settings.promptOptions.clarify === true;
    const loadOfCalls = () => Promise.all([loadCallSteps(), loadCallSink()]);
    if (reader || plans) await loadOfCalls();
    const planning = plans
      ? await (await load(() => import('../request/planning.js'))).openPlanning(protocolId, input, dependencies, sendBack)
      : undefined;
    const asked = planning ? { ...input, planning: planning.words } : input;
    // A reply that is resumed has already been requested.
    const composed: ComposedRequest = resumableReplyIn(input)
      ? { messages: [], system: '' }
      : await buildRequest(protocolId, asked, dependencies, signal);
    const { strangers, ...said } = composed;
    // A tool that was registered meanwhile may have been taught.
    if (hasTools({ input, dependencies })) {
      await loadOfCalls();
      reader ??= await read();
    }
    if (strangers) sendBack({ type: 'prompt.told', strangers });
    dependencies.degrading.withTools();
    return { reader: reader ?? { id: protocolId }, planning, said, plain: false };
  } catch (error) {
    // If a tool has run in this turn, its result has to be sent in the full format.
    if (signal.aborted || iterations > 0 || !isLoadFailure(error) || !dependencies.degrading.withoutTools(settings)) throw error;
    dependencies.log.error('degraded.plain', 'What tools need could not be loaded; going on without them', {}, { error });
    return { reader: { id: protocolId }, planning: undefined, said: buildPlainRequest(input), plain: true };
  }
}

export const withoutTools = (input: ReplyInput): ReplyInput => ({
  ...input,
  turn: { ...input.turn, settings: { ...input.turn.settings, tools: 'off' } },
});

/** Resolves a relative address against the page. Returns undefined if that is impossible. */
export function readAddress(address: string): URL | undefined {
  try {
    return new URL(address, baseUrl());
  } catch {
    return undefined;
  }
}

/** Checks whether the whole answer is requested at an address of its own. Otherwise a wrong address stays wrong. */
export const hasOtherAddress = (wire: Wire, endpoint: URL): boolean =>
  wire.request({ messages: [], system: '', maxTokens: 1, stream: false }, endpoint).url.href !== endpoint.href;
