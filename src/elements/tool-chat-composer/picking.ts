/** What the composer needs only once something is chosen. Loaded then. */
import type { ToolChoice } from '../../model/snapshot.js';
import { wholeEnglish, type Texts } from '../../i18n/en.js';
import { defineOnce } from '../define-once.js';
import { ToolChatPicker, type Choice } from '../tool-chat-picker/tool-chat-picker.js';

wholeEnglish();

export { insertTemplate, nextSlot } from './slots.js';

export const definePicker = (): void => defineOnce('tool-chat-picker', ToolChatPicker);

export const toolChoices = (tools: readonly ToolChoice[], texts: Texts): Choice[] =>
  tools.map(({ name, label, icon, risk }) => ({
    label,
    // The model's name, too: that is what the host calls it.
    detail: label === name ? '' : name,
    mark: texts.riskShort[risk],
    ...(risk === 'danger' && { strong: true }),
    ...(icon && { icon }),
  }));
