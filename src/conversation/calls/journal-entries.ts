/** Records in the journal that a call begins, before it has an effect, and how it ended. */
import type { Call, PublishedResult } from '../../model/calls.js';
import type { Log } from '../../base/logging.js';
import type { Journal } from '../../storage/journal.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { canRerun } from './strategies.js';

export const journalEntries = (journal: Journal, log: Log) => ({
  /** Records that a call begins. `known`: it has begun before. `unrecorded`: it must not begin. */
  async begin(
    { requestId, toolName, digest, args }: Call,
    tool: ToolDefinition,
    again: number | undefined,
  ): Promise<'start' | 'known' | 'unrecorded'> {
    try {
      return await journal.intent({
        ...{ requestId, toolName, digest, rerun: canRerun(tool) },
        ...(!tool.sensitive && { args }),
        ...(again !== undefined && { again }),
      });
    } catch (error) {
      // A query does no harm if it runs twice. Any other call needs its record first, because without one its effect would be unknown
      // later.
      if (tool.risk !== 'query') {
        log.error('journal.failed', 'A call could not be recorded and was not executed', { toolName, requestId }, { error });
        return 'unrecorded';
      }
      log.warn('journal.failed', 'A query runs without a record', { toolName, requestId }, { error });
      return 'start';
    }
  },

  async end({ requestId, toolName }: Pick<Call, 'requestId' | 'toolName'>, result: PublishedResult): Promise<void> {
    try {
      await journal.settle(requestId, result);
    } catch (error) {
      log.error('journal.failed', 'The end of a call could not be recorded', { toolName, requestId }, { error });
    }
  },
});
