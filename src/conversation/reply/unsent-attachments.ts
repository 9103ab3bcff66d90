/** Tells the user before a message is sent which attachments the wire does not carry, so that no answer about them is expected. */
import { load } from '../../base/load.js';
import type { Log } from '../../base/logging.js';
import type { Wire } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { Notices } from '../chart/notices.js';

export interface UnsentAttachmentsDependencies {
  notices: Pick<Notices, 'add' | 'remove'>;
  log: Log;
}

export const NOTICE = 'unseen';

/** Checks the message that is about to be answered. Never rejects: without this notice the message is sent all the same. */
export async function notifyUnsentAttachments(
  wire: Wire,
  input: Pick<ReplyInput, 'messages'>,
  dependencies: UnsentAttachmentsDependencies,
): Promise<void> {
  const message = input.messages.findLast(({ role }) => role === 'user');
  if (!message?.attachments?.length) return dependencies.notices.remove(NOTICE);
  const { showUnsentAttachments } = await load(() => import('./unsent-attachments-notice.js')).catch(() => ({
    showUnsentAttachments: undefined,
  }));
  showUnsentAttachments?.(wire, message.id, message.attachments, dependencies);
}
