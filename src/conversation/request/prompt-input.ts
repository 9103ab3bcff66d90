/** What the words of a request are made of, and what they come to. */
import type { Log } from '../../base/logging.js';
import type { PromptMacro } from '../../prompts/macros.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { TurnRequest } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { Protocols } from './protocol-registry.js';
import type { GateMemory } from './relay-gate-memory.js';
import type { Windows } from './windows.js';

/** What the wording depends on besides the settings. */
export interface Speaker {
  registry: ToolRegistry;
  protocols: Protocols;
  /** The host's, by name. */
  macros: ReadonlyMap<string, PromptMacro>;
  log: Log;
  /** Tools of our own that no prompt lists. */
  unlisted: Set<string>;
  /** The tools that the last prompt only named. */
  readonly paged: { tools: Described };
  /** What is remembered, for the end of the system prompt; see `layered-memory.ts`. */
  recall(input: Pick<ReplyInput, 'turn' | 'messages'>): Promise<string>;
  /** What was said about a tool that a protocol cannot carry well, so that it is said once. */
  warned: Set<string>;
  /** What is known of how much the models can read. */
  readonly windows: Windows;
  /** What the relay's gate was told before. */
  readonly gate: GateMemory;
}

export type Said = Pick<TurnRequest, 'messages' | 'system' | 'tools' | 'answers' | 'config'> &
  Partial<Pick<TurnRequest, 'maxTokens' | 'grammar' | 'replySchema'>>;
export type Described = ReturnType<typeof import('../../tools/describe-tools.js').describeTools>;
