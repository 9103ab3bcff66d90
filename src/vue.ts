/** Registers the element, and tells Vue's templates its attributes, properties and events: the door `tool-chat/vue`. */
import type { DefineComponent } from 'vue';
import './define.js';
import type { ToolChatAttributes, ToolChatHandlers, ToolChatProperties } from './elements/option-names.js';

export type ToolChatTag = DefineComponent<ToolChatProperties & ToolChatAttributes & ToolChatHandlers>;

declare module 'vue' {
  interface GlobalComponents {
    'tool-chat': ToolChatTag;
  }
}
