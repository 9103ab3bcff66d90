/** Handles a provider that waits for the user's approval of its own call: no tool of ours runs, and the provider is only told. */
import type { Call, PublishedResult } from '../../model/calls.js';
import { digestCall } from '../../tools/digest.js';
import type { AuthorizedCall } from './authorized-call.js';
import { endedWithoutResult } from '../chart/call-records.js';
import type { Checked } from '../chart/call-context.js';
import type { ParsedCall, Turn } from '../chart/chart-context.js';

/** Returns a call whose card shows what the provider said it will do. */
export async function askForService(
  { requestId, toolName, arguments: args, approval }: ParsedCall,
  turn: Turn,
  hasPerson: boolean,
): Promise<Checked> {
  const { texts } = turn.settings;
  if (!hasPerson) return { type: 'refused', result: endedWithoutResult(requestId, toolName, 'denied', 'DENIED', texts.reasonNobody) };
  const call: Call = Object.freeze({
    ...({ requestId, toolName, label: toolName, risk: 'undeclared', args, status: 'pending', flags: ['service'] } as const),
    digest: await digestCall(toolName, args),
    reason: approval?.reason || texts.reasonService,
  });
  const ticket: AuthorizedCall = { turn };
  return { type: 'checked', call, verdict: 'ask', ticket };
}

export function serviceAllowed({ requestId, toolName }: Call, { serviceAllowed: message }: Turn['settings']['texts']): PublishedResult {
  return Object.freeze({ requestId, toolName, success: true, status: 'success', message, result: message, durationMs: 0 });
}
