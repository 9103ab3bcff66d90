/** Prepares one request, and the reader of its reply. */
import { isLoadFailure, load } from '../../base/load.js';
import { baseUrl } from '../../transports/prepare-request.js';
import type { Wire, TurnMessage } from '../../transports/wire.js';
import type { ConversationEvent, ReplyInput, ResumableReply } from '../chart/chart-context.js';
import { loadCallSteps } from '../chart/lazy-call-steps.js';
import type { ComposedRequest, PromptContext } from '../request/prompt-input.js';
import { loadCallSink } from './lazy-call-sink.js';
import { hasTools } from './parsing.js';
import type { ReplyDependencies } from './reply-reading.js';
import { resultText } from '../../transports/attachment-text.js';
import { windowOf } from '../chart/message-window.js';

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

/** Builds a request for a chat without tools: the conversation only. Prompts and protocols load with the first tool. */
async function buildRequest(protocolId: string, input: ReplyInput, speaker: PromptContext, signal: AbortSignal): Promise<ComposedRequest> {
  const asides = await Promise.all([...speaker.asides].map((aside) => aside(input)));
  const sayThis = async (asked: ReplyInput): Promise<ComposedRequest> => {
    const said = await say(protocolId, asked, speaker, signal);
    // Sections that change with each turn come last, and no call is separated from its result.
    return { ...said, system: [said.system, ...asides].filter(Boolean).join('\n\n') };
  };
  const window = speaker.windows.of(input.turn.settings);
  const whole = window
    ? await (await load(() => import('../request/fit-to-context.js'))).fitToContext(window, input, sayThis)
    : await sayThis(input);
  if (input.turn.settings.orchestration !== 'relay-gated') return whole;
  const { gateStateOf } = await load(() => import('../request/relay-gating.js'));
  return { ...whole, config: { ...whole.config, orchestration: gateStateOf(input, protocolId, speaker) } };
}

async function say(protocolId: string, input: ReplyInput, speaker: PromptContext, signal: AbortSignal): Promise<ComposedRequest> {
  const { settings } = input.turn;
  const teaches = settings.tools === 'on' && speaker.registry.list().length > 0;
  if (teaches || input.calls.length > 0 || settings.systemPrompt !== '' || input.planning)
    return (await load(() => import('../request/prompt-context.js'))).buildRequestWithTools(protocolId, input, speaker, signal);
  const messages = windowOf(input.messages, settings)
    .filter((message) => message.role !== 'tool' && message.status.type !== 'running')
    .map(({ role, text, raw, attachments }) => ({
      role,
      text: role === 'assistant' ? (raw ?? text) : text,
      ...(attachments && { attachments }),
    }));
  return { messages: messages.filter(({ text, attachments }) => text || attachments), system: '' };
}

/**
 * Builds the request without any lazy module, for when loading failed: no tools are taught, their results are sent as text, and
 * placeholders are removed from the host's prompt.
 */
function buildPlainRequest({ messages, turn: { settings } }: Pick<ReplyInput, 'messages' | 'turn'>): ComposedRequest {
  const said = windowOf(messages, settings)
    .filter(({ status }) => status.type !== 'running')
    .map(({ role, text, attachments, metadata }): TurnMessage =>
      role === 'tool'
        ? { role: 'user', text: resultText(metadata.toolCall?.toolName ?? '', text) }
        : { role, text, ...(attachments && { attachments }) },
    );
  return {
    messages: said.filter(({ text, attachments }) => text || attachments),
    system: settings.systemPrompt.replace(/\{\{[^{}]*\}\}/g, '').trim(),
  };
}
