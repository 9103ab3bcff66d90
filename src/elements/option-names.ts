/** The names under which frameworks set options and listeners on `<tool-chat>`, derived from the single table of options. */
import type { elementTable, settingsTable } from '../conversation/options/option-table.js';
import type { ToolChatEventMap } from './events.js';
import type { ToolChat } from './tool-chat/tool-chat.js';

/** The names of options that are properties. */
export type OptionName = Extract<keyof typeof settingsTable | keyof typeof elementTable, keyof ToolChat> | 'config' | 'decide' | 'logger';

/** Every option as a property: `{ maxTokens: 2000, context: {…} }`. `undefined` and `null` unset it. */
export type ToolChatProperties = { [Name in OptionName]?: ToolChat[Name] | null | undefined };

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : '';

type Scalar = string | number | boolean;
type AttributeValue<Value> = Value extends number ? Value | `${number}` : Value extends boolean ? Value | '' | 'true' : Value;

/** Every option that can be written as an attribute: `{ 'max-tokens': '2000', layout: 'floating' }`. */
export type ToolChatAttributes = {
  [Name in OptionName as NonNullable<ToolChat[Name]> extends Scalar ? Kebab<Name> : never]?: AttributeValue<ToolChat[Name]> | undefined;
};

/** The events as listeners receive them: with `currentTarget`, a listener in a template has the element and its methods. */
type EventsWithTarget = { [Name in keyof ToolChatEventMap]: ToolChatEventMap[Name] & { readonly currentTarget: ToolChat } };
type Pascal<Name extends string> = Name extends `${infer Word}-${infer Rest}` ? `${Capitalize<Word>}${Pascal<Rest>}` : Capitalize<Name>;

/** Listeners named `on…` plus the event name, for JSX and Svelte: `{ 'ontool-chat-error'(event) {…} }`. */
export type ToolChatListeners = { [Name in keyof EventsWithTarget as `on${Name}`]?: ((event: EventsWithTarget[Name]) => void) | undefined };

/** The same listeners with the names used by React components and Vue templates: `onToolChatError`. */
export type ToolChatHandlers = {
  [Name in keyof EventsWithTarget as `on${Pascal<Name>}`]?: ((event: EventsWithTarget[Name]) => void) | undefined;
};
