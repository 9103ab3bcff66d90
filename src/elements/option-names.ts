/** What frameworks set on `<tool-chat>`, in the words of each; made of the one table of options. */
import type { elementTable, settingsTable } from '../conversation/options/option-table.js';
import type { ToolChatEventMap } from './events.js';
import type { ToolChat } from './tool-chat/tool-chat.js';

/** Options that are properties. */
export type OptionName = Extract<keyof typeof settingsTable | keyof typeof elementTable, keyof ToolChat> | 'config' | 'decide' | 'logger';

/** Every option as a property: `{ maxTokens: 2000, context: {…} }`. `undefined` and `null` unset it. */
export type ToolChatProperties = { [Name in OptionName]?: ToolChat[Name] | null | undefined };

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : '';

type Scalar = string | number | boolean;
type Written<Value> = Value extends number ? Value | `${number}` : Value extends boolean ? Value | '' | 'true' : Value;

/** Every option that a text can say as an attribute: `{ 'max-tokens': '2000', layout: 'floating' }`. */
export type ToolChatAttributes = {
  [Name in OptionName as NonNullable<ToolChat[Name]> extends Scalar ? Kebab<Name> : never]?: Written<ToolChat[Name]> | undefined;
};

/** What is heard, and by whom: with `currentTarget` a listener in a template has the element and its methods. */
type Heard = { [Name in keyof ToolChatEventMap]: ToolChatEventMap[Name] & { readonly currentTarget: ToolChat } };
type Pascal<Name extends string> = Name extends `${infer Word}-${infer Rest}` ? `${Capitalize<Word>}${Pascal<Rest>}` : Capitalize<Name>;

/** `on…` and the name of an event, as JSX and Svelte listen: `{ 'ontool-chat-error'(event) {…} }`. */
export type ToolChatListeners = { [Name in keyof Heard as `on${Name}`]?: ((event: Heard[Name]) => void) | undefined };

/** The same as components of React and templates of Vue name it: `onToolChatError`. */
export type ToolChatHandlers = { [Name in keyof Heard as `on${Pascal<Name>}`]?: ((event: Heard[Name]) => void) | undefined };
