/** A page of its own with a kept `<tool-chat>`, set up by the page around it: `parent.setUp(chat)`. */
import '../../src/define.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';

const chat = document.createElement('tool-chat') as ToolChat;
(parent as unknown as { setUp(chat: ToolChat): void }).setUp(chat);
document.body.append(chat);
Object.assign(window, { chat });
