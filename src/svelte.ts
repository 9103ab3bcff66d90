/** The entry point `tool-chat/svelte`: registers the element, and declares its attributes, properties and events for Svelte's markup. */
import type { HTMLAttributes } from 'svelte/elements';
import './define.js';
import type { ToolChatAttributes, ToolChatListeners, ToolChatProperties } from './elements/option-names.js';
import type { ToolChat } from './elements/tool-chat/tool-chat.js';

type Own = ToolChatProperties & ToolChatAttributes & ToolChatListeners;
export type ToolChatTag = Own & Omit<HTMLAttributes<ToolChat>, keyof Own>;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'tool-chat': ToolChatTag;
  }
}
