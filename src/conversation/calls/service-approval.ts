/** Handles a provider that waits for the user's approval of its own call: no tool of ours runs, and the provider is only told. */
import type { Call, PublishedResult } from '../../model/calls.js';
import { digestCall } from '../../tools/digest.js';
import type { AuthorizedCall } from './authorized-call.js';
import { endedWithoutResult, UNREAD_FLAG } from '../chart/call-records.js';
import type { Checked } from '../chart/call-context.js';
import type { ParsedCall, Recovered, Turn } from '../chart/chart-context.js';

/** Returns a call whose card shows what the provider said it will do. */
export async function askForService(
  { requestId, toolName, arguments: args, approval, flags }: ParsedCall,
  turn: Turn,
  hasPerson: boolean,
  recovered?: Recovered,
): Promise<Checked> {
  const { texts } = turn.settings;
  const wasAllowed = recovered?.question.type === 'ask' && recovered.question.wasAllowed;
  const refuse = (message: string): Checked => ({
    type: 'refused',
    result: endedWithoutResult(requestId, toolName, 'denied', 'DENIED', message),
  });
  if (flags.includes(UNREAD_FLAG)) return refuse(texts.callUnread);
  if (!hasPerson) return refuse(texts.reasonNobody);
  const call: Call = Object.freeze({
    ...({ requestId, toolName, label: toolName, risk: 'undeclared', args, status: 'pending', flags: ['service'] } as const),
    digest: await digestCall(toolName, args),
    // The provider may have got the answer that the user gave on a page that is gone.
    reason: [approval?.reason || texts.reasonService, wasAllowed && texts.reasonUnsure].filter(Boolean).join(' · '),
  });
  const ticket: AuthorizedCall = { turn };
  return { type: 'checked', call, verdict: 'ask', ticket };
}

export function serviceAllowed({ requestId, toolName }: Call, { serviceAllowed: message }: Turn['settings']['texts']): PublishedResult {
  return Object.freeze({ requestId, toolName, success: true, status: 'success', message, result: message, durationMs: 0 });
}
