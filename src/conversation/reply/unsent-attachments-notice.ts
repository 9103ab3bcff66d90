/** Tells the user which attachments are not sent. Loaded with the first message that has one. */
import { cutText } from '../../base/cut-text.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import type { Attachment } from '../../model/messages.js';
import { unsentAttachments } from '../../transports/wire-messages.js';
import type { Wire } from '../../transports/wire.js';
import { isFirst } from '../../base/log-once.js';
import { NOTICE, type UnsentAttachmentsDependencies } from './unsent-attachments.js';

fullEnglish();

/** Maximum number of names in the notice, and of UTF-16 units of a name. */
const NAMES = 3;
const NAME_CHARS = 60;

export function showUnsentAttachments(
  wire: Pick<Wire, 'id' | 'images'>,
  messageId: string,
  attachments: readonly Attachment[],
  { notices, log }: UnsentAttachmentsDependencies,
): void {
  const unseen = unsentAttachments(attachments, wire.images);
  if (unseen.length === 0) {
    notices.remove(NOTICE);
    return;
  }
  // Retries and later rounds of a turn send the same message. A notice that was closed stays closed.
  if (!isFirst(log, `${NOTICE} ${wire.id} ${messageId}`)) return;
  const names = unseen.map(({ name, type }) =>
    cutText([name, type].find((one) => typeof one === 'string' && one !== '') ?? '?', NAME_CHARS),
  );
  const textOnly = wire.images === false;
  notices.add({ id: NOTICE, text: (texts) => texts.noticeUnseen(listed(names, texts), textOnly) });
  log.warn(
    'message.unseen',
    `Attachments are only named to the model: the wire ${wire.id} ${textOnly ? 'carries text only' : 'does not carry them'}`,
    { wire: wire.id, count: unseen.length, types: unseen.slice(0, NAMES).map(({ type }) => type) },
  );
}

const listed = (names: readonly string[], { grantComma }: Texts) =>
  [...names.slice(0, NAMES).map((name) => `“${name}”`), ...(names.length > NAMES ? ['…'] : [])].join(grantComma);
