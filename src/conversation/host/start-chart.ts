/**
 * Creates the chart with its real actors. They get the chart by a function, because it is created after them and exists once the first of
 * them starts.
 */
import { createActor } from 'xstate';
import { createCallActors, type LazyPermissions } from '../calls/call-actors.js';
import type { CallRecords } from '../calls/call-services.js';
import { conversationMachine } from '../chart/conversation-machine.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import type { ReplyParts } from '../reply/reply-reading.js';
import { createReplyReader } from '../reply/reply-actor.js';
import type { PromptContext } from '../request/prompt-input.js';

/** Creates the chart without starting it. */
export function createChart(
  services: ConversationServices,
  speaker: PromptContext,
  reply: ReplyParts,
  records: CallRecords,
): { chart: Chart; grants: LazyPermissions } {
  const calls = createCallActors(() => chart, services, records);
  const readReply = createReplyReader(() => chart, services, speaker, reply);
  const machine = conversationMachine.provide({ actors: { readReply, toolCall: calls.machine } });
  const chart: Chart = createActor(machine, { clock: services.clock });
  return { chart, grants: calls.grants };
}
