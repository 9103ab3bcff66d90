/**
 * The events of `<tool-chat>`. They bubble, cross shadow boundaries, and carry frozen copies. The event itself is not frozen, because
 * frameworks add properties to it.
 */
import type { Call, PublishedResult, ToolUse } from '../model/calls.js';
import type { ToolCallCycleResult } from '../conversation/chart/hooks.js';
import type { Phase } from '../model/snapshot.js';
import type { ChatError } from '../base/errors.js';
import type { LogEntry } from '../base/log.js';
import type { TurnReason } from '../model/messages.js';

/** One class for all events: the name tells them apart, and each event has its own fields. */
export class ToolChatEvent extends Event {
  constructor(name: string, fields: object = {}, cancelable = false) {
    super(`tool-chat-${name}`, { bubbles: true, composed: true, cancelable });
    Object.assign(this, fields);
  }
}

type With<Fields> = ToolChatEvent & Readonly<Fields>;

export interface ToolChatEventMap {
  'tool-chat-ready': ToolChatEvent;
  'tool-chat-send': With<{ text: string }>;
  'tool-chat-stream-start': With<{ message: string }>;
  'tool-chat-stream-chunk': With<{ text: string }>;
  'tool-chat-tool-detected': With<{ tool: ToolUse; requestId: string }>;
  'tool-chat-approval-request': With<{ calls: readonly Call[] }>;
  'tool-chat-tool-execute': With<{ tool: ToolUse; requestId: string }>;
  'tool-chat-tool-progress': With<{ requestId: string; progress: { fraction?: number; message?: string } }>;
  'tool-chat-tool-complete': With<{ result: PublishedResult; requestId: string }>;
  'tool-chat-stream-end': With<{ success: boolean; reason: TurnReason }>;
  'tool-chat-cycle': With<{ cycle: ToolCallCycleResult }>;
  'tool-chat-state-change': With<{ state: Phase; previous: Phase; reason: string }>;
  'tool-chat-error': With<{ error: ChatError }>;
  'tool-chat-log': With<{ entry: LogEntry }>;
  'tool-chat-feedback': With<{ error?: ChatError; messageId?: string; value?: 'up' | 'down' | null; reason?: string }>;
  'tool-chat-show': ToolChatEvent;
  'tool-chat-hide': ToolChatEvent;
}

declare global {
  interface GlobalEventHandlersEventMap extends ToolChatEventMap {}
}
