/** Registers the element, and tells Vue's templates its attributes, properties and events: the door `tool-chat/vue`. */
import type { DefineComponent } from 'vue';
import './define.js';
import type { ToolChatEventMap } from './elements/events.js';
import type { ToolChatAttributes, ToolChatProperties } from './elements/option-names.js';

export type ToolChatTag = DefineComponent<
  ToolChatProperties &
    ToolChatAttributes & { [Name in keyof ToolChatEventMap as `on${Capitalize<Name>}`]?: (event: ToolChatEventMap[Name]) => void }
>;

declare module 'vue' {
  interface GlobalComponents {
    'tool-chat': ToolChatTag;
  }
}
