/**
 * Adapts later requests to an endpoint's error: no native tools, no temperature, no grammar, or a smaller context window. Loaded with the
 * first error.
 */
import type { Failure } from '../../transports/failure.js';
import { fetchContextWindow } from '../../transports/model-window.js';
import type { ReplyOutcome } from '../../transports/reply-request.js';
import type { ReplyInput } from '../chart/chart-context.js';
import { requestTokens } from './fit-to-context.js';
import type { ComposedRequest, PromptContext } from './prompt-input.js';
import { NATIVE } from './protocol-registry.js';
import { USUAL_SCALE } from './model-capabilities.js';

export interface ProtocolFallback {
  /** The protocol for the retry. */
  protocolId: string;
  /** Called when the retry succeeds, to remember what was learned. */
  holds(): void;
  /** Called when the retry fails. */
  fails?(): void;
}

/** @returns how to retry, or undefined if a retry is useless */
export async function fallbackForError(
  outcome: ReplyOutcome,
  protocolId: string,
  said: ComposedRequest,
  { turn: { settings } }: ReplyInput,
  { protocols, windows, log }: PromptContext,
  { endpoint, signal }: { endpoint: URL; signal: AbortSignal },
): Promise<ProtocolFallback | undefined> {
  if (outcome.type !== 'failed' || outcome.afterFirstEvent) return undefined;
  const { error } = outcome;
  if (error.noTemperature && settings.temperature !== undefined && !windows.hasFixedTemperature(settings)) {
    windows.noteFixedTemperature(settings);
    log.warn(
      'config.temperature',
      'The model takes no `temperature` but its own; going on without it. Take the option away for this model',
      {
        model: settings.model,
      },
    );
    return { protocolId, holds() {} };
  }
  if (protocolId === NATIVE && refusesTools(error)) {
    const instead = protocols.textFor(settings);
    log.warn('protocol.refused', `The endpoint takes no tools; going on with ${instead}`, { protocol: instead });
    return { protocolId: instead, holds: () => protocols.noteRefusal(settings) };
  }
  if (
    (said.grammar ?? said.replySchema) !== undefined &&
    [400, 422, 500, 501, 502].includes(error.status ?? 0) &&
    error.kind !== 'too-long'
  ) {
    log.warn('constrain.refused', 'The endpoint may take no grammar; going on without one');
    const known = windows.constraint(settings);
    windows.noteConstraint(settings, 'refused');
    // If the retry fails as well, the grammar was not the cause.
    return { protocolId, holds() {}, fails: () => windows.noteConstraint(settings, known) };
  }
  // A 413 from a proxy says nothing about the context window.
  if (error.kind !== 'too-long' || (error.window === undefined && error.needed === undefined && error.status === 413)) return undefined;
  const size = error.window ?? (await fetchContextWindow(endpoint, settings, signal));
  const known = windows.of(settings);
  if (size === undefined || size < LEAST) return undefined;
  const estimated = requestTokens(said);
  const scale =
    error.needed === undefined ? Math.max(known?.scale ?? 0, USUAL_SCALE) : Math.min(Math.max(error.needed / estimated, 0.5), 4);
  // This request was already made to fit the same window, so a retry would be useless.
  if (known && known.size <= size && scale <= known.scale) return undefined;
  windows.learn(settings, { size, scale });
  log.info('window.learnt', `The model reads ${String(size)} tokens at once; requests are made to fit`, { tokens: size });
  return { protocolId, holds: () => {} };
}

/** No conversation fits into a window smaller than this, in tokens. */
const LEAST = 256;

/** Checks whether an endpoint without native tools could answer like this. The retry shows if that was the cause. */
const refusesTools = ({ noTools, status = 0 }: Failure): boolean => noTools === true || [400, 404, 422, 501].includes(status);
