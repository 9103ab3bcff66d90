'use client';
/**
 * The entry point `tool-chat/react`: `<ToolChat>` for React 18 and 19, and the types of `<tool-chat>` in JSX. Registers the element.
 *
 * Every option is a prop (`maxTokens`, `context`, `decide` …), every event is a prop with its name in camel case after `on`
 * (`tool-chat-tool-complete` is `onToolChatToolComplete`), and `ref` is the element with its methods.
 */
import { createComponent } from '@lit/react';
import * as React from 'react';
import './define.js';
import type { ToolChatEventMap } from './elements/events.js';
import type { OptionName, ToolChatAttributes, ToolChatHandlers, ToolChatListeners, ToolChatProperties } from './elements/option-names.js';
import type { ToolChat as ToolChatElement } from './elements/tool-chat/tool-chat.js';

type EventName = keyof ToolChatEventMap;

export type { ToolChatElement };

/** The props of `<ToolChat>` in addition to those of every HTML element. */
export type ToolChatOwnProps = ToolChatProperties & ToolChatHandlers;
export type ToolChatProps = ToolChatOwnProps &
  Omit<React.HTMLAttributes<ToolChatElement>, keyof ToolChatOwnProps | 'style'> & { style?: ToolChatStyle | undefined };

/** React's styles, and the custom properties of the widget. */
type ToolChatStyle = React.CSSProperties & { [property: `--tool-chat-${string}`]: string | number };

/**
 * The names of all options. The type makes sure that none is missing or unknown: a name that is not a property here would become an
 * attribute.
 */
const options: Record<OptionName, null> = {
  endpoint: null,
  wire: null,
  stream: null,
  protocol: null,
  tools: null,
  model: null,
  systemPrompt: null,
  maxTokens: null,
  maxIterations: null,
  repeatLimit: null,
  toolTimeout: null,
  requestTimeout: null,
  heartbeat: null,
  blockTimeout: null,
  maxAccumulator: null,
  sessionId: null,
  approval: null,
  callsPerTurn: null,
  dispatch: null,
  afterCall: null,
  execution: null,
  accept: null,
  parseMode: null,
  onBrokenCall: null,
  resultRole: null,
  promptInjection: null,
  resultLoop: null,
  onDeny: null,
  coercion: null,
  memory: null,
  confirmVia: null,
  rehearse: null,
  approvalUi: null,
  planning: null,
  orchestration: null,
  degrade: null,
  composerWhileBusy: null,
  storage: null,
  tokenBudget: null,
  temperature: null,
  contextSize: null,
  constrain: null,
  context: null,
  headers: null,
  fetch: null,
  beforeSend: null,
  protocolByModel: null,
  promptOptions: null,
  promptTemplates: null,
  errorStrategies: null,
  planningOptions: null,
  memoryOptions: null,
  privateValues: null,
  memoryStore: null,
  embed: null,
  answerCache: null,
  confirmKeywords: null,
  preset: null,
  feedbackUrl: null,
  layout: null,
  position: null,
  open: null,
  heading: null,
  placeholder: null,
  theme: null,
  lang: null,
  quickCommands: null,
  models: null,
  attachments: null,
  settings: null,
  inspect: null,
  toolPicker: null,
  helpUrl: null,
  logLevel: null,
  mcp: null,
  sandboxUrl: null,
  texts: null,
  suggest: null,
  textRules: null,
  plugins: null,
  config: null,
  decide: null,
  logger: null,
};
const events: Record<EventName, null> = {
  'tool-chat-ready': null,
  'tool-chat-send': null,
  'tool-chat-stream-start': null,
  'tool-chat-stream-chunk': null,
  'tool-chat-tool-detected': null,
  'tool-chat-approval-request': null,
  'tool-chat-tool-execute': null,
  'tool-chat-tool-progress': null,
  'tool-chat-tool-complete': null,
  'tool-chat-stream-end': null,
  'tool-chat-cycle': null,
  'tool-chat-state-change': null,
  'tool-chat-error': null,
  'tool-chat-log': null,
  'tool-chat-feedback': null,
  'tool-chat-show': null,
  'tool-chat-hide': null,
};

const pascal = (name: string) => name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** React sets the names on this prototype as properties; the element itself knows some of its options only once it is shown. */
class Described {
  static readonly names = Object.assign(this.prototype, options);
}

const Tag = createComponent({
  react: React,
  tagName: 'tool-chat',
  elementClass: Described as unknown as typeof ToolChatElement,
  events: Object.fromEntries(Object.keys(events).map((name) => [`on${pascal(name)}`, name])),
  displayName: 'ToolChat',
}) as unknown as React.ForwardRefExoticComponent<ToolChatProps & React.RefAttributes<ToolChatElement>>;

type Decide = NonNullable<ToolChatElement['decide']>;

const onServer = globalThis.customElements === undefined;
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Renders the markup on a server: each option with a text, number or true value becomes an attribute, so that the element has its layout
 * and endpoint before React has hydrated it. Objects and functions are set after that.
 */
function markupOf({ className, ...props }: ToolChatProps): React.ReactElement {
  const written: Record<string, unknown> = className === undefined ? {} : { class: className };
  for (const [name, value] of Object.entries(props) as [string, unknown][]) {
    if (/^onToolChat/.test(name)) continue;
    if (!Object.hasOwn(options, name)) written[name] = value;
    else if (typeof value === 'string' || typeof value === 'number') written[kebab(name)] = value;
    else if (value === true) written[kebab(name)] = '';
  }
  return React.createElement('tool-chat', written);
}

/**
 * `decide` can be set only once, but a component may pass a new function with each render: the function that is set calls the latest one.
 */
const InBrowser = React.forwardRef<ToolChatElement, ToolChatProps>(function ToolChat({ decide, ...props }, ref) {
  const latest = React.useRef(decide);
  React.useLayoutEffect(() => void (latest.current = decide));
  const decides = decide != null;
  const attach = React.useCallback(
    (element: ToolChatElement | null) => {
      if (element && decides) element.decide ??= ((...call) => latest.current?.(...call) ?? 'ask') as Decide;
      if (typeof ref === 'function') return ref(element);
      if (ref) ref.current = element;
      return undefined;
    },
    [ref, decides],
  );
  return React.createElement(Tag, { ...props, ref: attach });
});

/** The component: in the browser it renders the element with its properties, on a server its tag with attributes. */
export const ToolChat = onServer ? React.forwardRef<ToolChatElement, ToolChatProps>((...[props]) => markupOf(props)) : InBrowser;
ToolChat.displayName = 'ToolChat';

type Own = Pick<ToolChatProperties, 'context' | 'headers' | 'fetch' | 'logger' | 'config' | 'decide'> &
  ToolChatAttributes &
  ToolChatListeners;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tool-chat': Own & Omit<React.HTMLAttributes<ToolChatElement>, keyof Own> & React.RefAttributes<ToolChatElement>;
    }
  }
}
