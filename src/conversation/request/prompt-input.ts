/** What the words of a request are made of, and what they come to. */
import type { PromptMacro } from '../../prompts/macros.js';
import type { TurnRequest } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { Services } from '../chart/services.js';
import type { Protocols } from './protocol-registry.js';
import type { GateMemory } from './relay-gate-memory.js';
import { createWindows, type Windows } from './windows.js';

/** What the wording depends on besides the settings. */
export interface Speaker extends Pick<Services, 'registry' | 'log'> {
  protocols: Protocols;
  /** The host's, by name. */
  macros: Map<string, PromptMacro>;
  /** Tools of our own that no prompt lists. */
  unlisted: Set<string>;
  /** The tools that the last prompt only named. */
  readonly paged: { tools: Described };
  /** Sections for the end of the system prompt, by whoever has something to tell there; none of them rejects. */
  readonly asides: Set<(input: Pick<ReplyInput, 'turn' | 'messages'>) => Promise<string>>;
  /** What was said about a tool that a protocol cannot carry well, so that it is said once. */
  warned: Set<string>;
  /** What is known of how much the models can read. */
  readonly windows: Windows;
  /** What the relay's gate was told before. */
  readonly gate: GateMemory;
}

export type ComposedRequest = Pick<TurnRequest, 'messages' | 'system' | 'tools' | 'answers' | 'config'> &
  Partial<Pick<TurnRequest, 'maxTokens' | 'grammar' | 'replySchema'>> & {
    /** Hosts that describe tools in it, and that the page does not vouch for. It is not sent. */
    strangers?: readonly string[];
  };
export type Described = ReturnType<typeof import('../../tools/describe-tools.js').describeTools>;

export const createSpeaker = ({ registry, log }: Services, protocols: Protocols): Speaker => ({
  ...{ registry, log, protocols, windows: createWindows(), paged: { tools: [] }, gate: {} },
  ...{ macros: new Map(), unlisted: new Set(), asides: new Set(), warned: new Set() },
});
