'use client';
/**
 * `<ToolChat>` for React 18 and 19, and the types of `<tool-chat>` in JSX: the door `tool-chat/react`. Registers the element.
 *
 * Every option is a prop (`maxTokens`, `context`, `decide` …), every event a prop of its name in camel case behind `on`
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

/** What `<ToolChat>` takes beside what every element of HTML takes. */
export type ToolChatOwnProps = ToolChatProperties & ToolChatHandlers;
export type ToolChatProps = ToolChatOwnProps & Omit<React.HTMLAttributes<ToolChatElement>, keyof ToolChatOwnProps>;

/** Typed, so that a name is neither missing nor too much: what is no property here would become an attribute. */
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

/** React sets what this prototype has as a property; the element itself knows some of its options only once it is shown. */
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
 * What a server writes: each option that a text can say is an attribute, so that the element stands where it will stand, and asks
 * where it will ask, before React has come to it. Objects and functions are set when it has.
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

/** `decide` can be set once, and a component gives another function with each of its renders: what is set asks the one of the last render. */
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

/** In the browser the element with its properties; in a server's render its tag with all that a text can say as attributes. */
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
