/** The tool that every page of this folder registers. */
import type { ToolDefinition } from 'tool-chat';

export const rename: ToolDefinition<{ title: string }> = {
  name: 'rename',
  description: 'Renames the page.',
  risk: 'write',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute({ title }, { user }) {
    document.title = title;
    return `Renamed to ${title} for ${String(user)}`;
  },
};
