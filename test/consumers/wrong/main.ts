/** What has to be refused: shows that the checks beside it can fail. */
import { ToolChat } from 'tool-chat';

const chat = new ToolChat();
chat.registerTool({ name: 'half', execute: () => '' });
chat.layout = 'sideways';
