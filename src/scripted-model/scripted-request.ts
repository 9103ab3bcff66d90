/** What the scripted model is asked, and what it answers. */
import type { NativeTool } from './notations/native.js';
import type { PlannedCall } from './notations/notation.js';

export type ScriptedMessage = { role: 'user' | 'assistant'; text: string } | ScriptedResult;

/** The result of a call that was made beside the text. */
export interface ScriptedResult {
  role: 'tool';
  name: string;
  text: string;
  /** Where the wire tells more than that there is a result. */
  status?: 'error' | 'denied';
}

export interface ScriptedRequest {
  system: string;
  messages: readonly ScriptedMessage[];
  /** Given natively: calls are then made beside the text, whatever the prompt teaches. */
  tools?: readonly NativeTool[];
}

export interface Reply {
  text: string;
  calls: PlannedCall[];
}
