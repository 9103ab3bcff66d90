/** Runs calls that the host makes. It is loaded with the first of them. */
import type { ErrorCode } from '../../base/errors.js';
import type { PublishedResult, ToolUse } from '../../model/calls.js';
import { deepFreeze } from '../../base/objects.js';
import { createId } from '../../base/ids.js';
import { plainCopy } from '../../base/plain-copy.js';
import { endedWithoutResult } from '../chart/call-records.js';
import { registerCallSteps } from '../chart/call-steps.js';
import { sendEvent, type Chart, type ConversationServices } from '../chart/services.js';
import type { TurnQueue } from './turn-queue.js';

registerCallSteps();

export type CallTurns = ReturnType<typeof createCallTurns>;

export function createCallTurns(chart: Chart, { log, texts, settings }: ConversationServices, queue: TurnQueue) {
  const manual = new Map<string, (result: PublishedResult) => void>();
  chart.on('call.settled', ({ requestId, result }) => {
    manual.get(requestId)?.(result);
    manual.delete(requestId);
  });

  function runTool(tool: ToolUse): Promise<PublishedResult> {
    return new Promise((resolve, reject) => {
      if (typeof tool?.name !== 'string' || typeof tool.params !== 'object') {
        reject(new TypeError('executeToolManually needs a ToolUse: {type: "tool_use", name, params, partial: false}.'));
        return;
      }
      const requestId = createId('call');
      const request = deepFreeze({ requestId, toolName: tool.name, arguments: plainCopy(tool.params), raw: '', flags: [], protocol: '' });
      manual.set(requestId, resolve);
      const unless = (status: 'error' | 'cancelled', code: ErrorCode, message: string) => {
        if (manual.delete(requestId)) resolve(endedWithoutResult(requestId, tool.name, status, code, message));
      };
      queue
        .enqueue(
          '',
          (turnId) => {
            sendEvent(chart, { type: 'user.runTool', turnId, request, settings: settings() });
            return true;
          },
          'plan',
        )
        .then(
          // The queue was emptied before the turn of this call.
          () => {
            unless('cancelled', 'CANCELLED', texts().notExecuted);
          },
          (error: unknown) => {
            log.error('call.failed', 'What carries out a call could not be loaded', { requestId }, { error });
            unless('error', 'EXECUTION_FAILED', texts().toolFailed);
          },
        );
    });
  }

  return { runTool };
}
