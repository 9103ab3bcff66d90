/** The entry point `tool-chat/vue`: registers the element, and declares its attributes, properties and events for Vue's templates. */
import type { DefineComponent } from 'vue';
import './define.js';
import type { ToolChatAttributes, ToolChatHandlers, ToolChatProperties } from './elements/option-names.js';

export type ToolChatTag = DefineComponent<ToolChatProperties & ToolChatAttributes & ToolChatHandlers>;

declare module 'vue' {
  interface GlobalComponents {
    'tool-chat': ToolChatTag;
  }
}
