/** The request and the reply of the scripted model. */
import type { NativeTool } from './protocols/native.js';
import type { PlannedCall } from './protocols/protocol.js';

export type ScriptedMessage = { role: 'user' | 'assistant'; text: string } | ScriptedResult;

/** The result of a native call. */
export interface ScriptedResult {
  role: 'tool';
  name: string;
  text: string;
  /** Set if the API format transmits a status. */
  status?: 'error' | 'denied';
}

export interface ScriptedRequest {
  system: string;
  messages: readonly ScriptedMessage[];
  /** Native tools. If present, calls are native, whatever the prompt describes. */
  tools?: readonly NativeTool[];
}

export interface Reply {
  text: string;
  calls: PlannedCall[];
}
