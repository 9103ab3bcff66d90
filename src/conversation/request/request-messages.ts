/** Builds a request for a chat without tools: the conversation only. Prompts and protocols load with the first tool. */
import { load } from '../../base/load.js';
import { resultText } from '../../transports/attachment-text.js';
import type { TurnMessage } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import { windowOf } from '../chart/message-window.js';
import type { ComposedRequest, PromptContext } from './prompt-input.js';

export async function buildRequest(
  protocolId: string,
  input: ReplyInput,
  speaker: PromptContext,
  signal: AbortSignal,
): Promise<ComposedRequest> {
  const asides = await Promise.all([...speaker.asides].map((aside) => aside(input)));
  const sayThis = async (asked: ReplyInput): Promise<ComposedRequest> => {
    const said = await say(protocolId, asked, speaker, signal);
    // Sections that change with each turn come last, and no call is separated from its result.
    return { ...said, system: [said.system, ...asides].filter(Boolean).join('\n\n') };
  };
  const window = speaker.windows.of(input.turn.settings);
  const whole = window
    ? await (await load(() => import('./fit-to-context.js'))).fitToContext(window, input, sayThis)
    : await sayThis(input);
  if (input.turn.settings.orchestration !== 'relay-gated') return whole;
  const { gateStateOf } = await load(() => import('./relay-gating.js'));
  return { ...whole, config: { ...whole.config, orchestration: gateStateOf(input, protocolId, speaker) } };
}

async function say(protocolId: string, input: ReplyInput, speaker: PromptContext, signal: AbortSignal): Promise<ComposedRequest> {
  const { settings } = input.turn;
  const teaches = settings.tools === 'on' && speaker.registry.list().length > 0;
  if (teaches || input.calls.length > 0 || settings.systemPrompt !== '' || input.planning)
    return (await load(() => import('./prompt-context.js'))).buildRequestWithTools(protocolId, input, speaker, signal);
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
export function buildPlainRequest({ messages, turn: { settings } }: Pick<ReplyInput, 'messages' | 'turn'>): ComposedRequest {
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
