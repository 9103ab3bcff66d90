/** The inputs and the output of the code that builds a request. */
import type { PromptMacro } from '../../prompts/macros.js';
import type { TurnRequest } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { ConversationServices } from '../chart/services.js';
import type { Protocols } from './protocol-registry.js';
import type { RelayGateState } from './relay-gate-state.js';
import { createModelCapabilities, type ModelCapabilities } from './model-capabilities.js';

/** The dependencies of a request's text, other than the settings. */
export interface PromptContext extends Pick<ConversationServices, 'registry' | 'log'> {
  protocols: Protocols;
  /** The host's macros by name. */
  macros: Map<string, PromptMacro>;
  /** Names of our own tools that no prompt lists. */
  unlisted: Set<string>;
  /** The tools that the last prompt listed by name only. */
  readonly paged: { tools: Described };
  /** Functions that return sections for the end of the system prompt. None of them rejects. */
  readonly asides: Set<(input: Pick<ReplyInput, 'turn' | 'messages'>) => Promise<string>>;
  /** Warnings already logged about tools that a protocol cannot express well, so that each is logged once. */
  warned: Set<string>;
  /** The known context windows of the models. */
  readonly windows: ModelCapabilities;
  /** The state of the relay's gate, from earlier requests. */
  readonly gate: RelayGateState;
}

export type ComposedRequest = Pick<TurnRequest, 'messages' | 'system' | 'tools' | 'answers' | 'config'> &
  Partial<Pick<TurnRequest, 'maxTokens' | 'grammar' | 'replySchema'>> & {
    /** Hosts whose tool descriptions the request includes and that the page does not trust. This field is not sent. */
    strangers?: readonly string[];
  };
export type Described = ReturnType<typeof import('../../tools/describe-tools.js').describeTools>;

export const createPromptContext = ({ registry, log }: ConversationServices, protocols: Protocols): PromptContext => ({
  ...{ registry, log, protocols, windows: createModelCapabilities(), paged: { tools: [] }, gate: {} },
  ...{ macros: new Map(), unlisted: new Set(), asides: new Set(), warned: new Set() },
});
