/** The chart with its real actors. Both look at the chart that they are part of, which is there when the first of them starts. */
import { createActor } from 'xstate';
import { createCallActors, type GrantsDoor } from '../calls/call-actors.js';
import type { CallRecords } from '../calls/tool-execution.js';
import { conversationMachine } from '../chart/conversation-machine.js';
import type { Chart, Services } from '../chart/services.js';
import type { ReplyParts } from '../reply/reply-reading.js';
import { createReplyReader } from '../reply/reply-actor.js';
import type { Speaker } from '../request/prompt-input.js';

/** Not started yet. */
export function createChart(
  services: Services,
  speaker: Speaker,
  reply: ReplyParts,
  records: CallRecords,
): { chart: Chart; grants: GrantsDoor } {
  const calls = createCallActors(() => chart, services, records);
  const readReply = createReplyReader(() => chart, services, speaker, reply);
  const machine = conversationMachine.provide({ actors: { readReply, toolCall: calls.machine } });
  const chart: Chart = createActor(machine, { clock: services.clock });
  return { chart, grants: calls.grants };
}
