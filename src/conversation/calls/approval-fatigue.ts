/** Offers to stop a turn that asks the user again and again, because a tired user allows anything. */
import type { Chart, ConversationServices } from '../chart/services.js';

const NOTICE = 'many-asks';

/** Shows a notice after every `limits.asksPerTurn` approvals of a turn, with a button that stops it; 0 = never. */
export function watchApprovalFatigue(chart: Chart, { notices }: ConversationServices, stop: () => void): void {
  let asked = 0;
  chart.on('call.waiting', () => {
    const every = chart.getSnapshot().context.turn?.settings.limits.asksPerTurn ?? 0;
    asked += 1;
    if (!(every > 0) || asked % every !== 0) return;
    const times = asked;
    notices.add({
      id: NOTICE,
      text: ({ askedOften }) => askedOften(times),
      action: { label: ({ stopAsking }) => stopAsking, run: stop },
    });
  });
  chart.on('turn.ended', () => {
    asked = 0;
    notices.remove(NOTICE);
  });
}
