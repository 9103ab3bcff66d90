/** The options of a conversation, as its element sets them. Loaded with the conversation. */
import { deepFreeze, isObject } from '../base/objects.js';
import type { HostEvent } from '../conversation/chart/hooks.js';
import type { ConversationOptions } from '../conversation/conversation.js';
import { settingsTable, type Option } from '../conversation/options/option-table.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import type { OpenPanel } from './engine.js';
import type { OptionalFeatures } from './optional-features.js';

/** Options that the conversation receives in another form. */
const convertedOptions: ReadonlySet<string> = new Set(['endpoint', 'helpUrl', 'lang', 'texts', 'model']);

/** Options that are passed on only if set, because the conversation has its own defaults. */
const passedOnlyIfSet = new Set(Object.entries<Option<unknown>>(settingsTable).flatMap(([name, { attribute }]) => (attribute ? name : [])));

/** Fields of `toolCallConfig` that the element can also set, mapped to the element's own option. */
const sharedFields = {
  ...{ enabled: 'tools', maxIterations: 'maxIterations', timeout: 'toolTimeout', protocol: 'protocol' },
  parallelExecution: 'execution',
} as const;

/** Host events that a listener can cancel. */
const cancelable: ReadonlySet<string> = new Set<HostEvent['type']>(['send', 'tool-execute']);

/**
 * Returns getters, because the conversation reads its options for each turn.
 *
 * @param features the user's choices, as soon as they have loaded
 * @param begun called when a turn begins
 */
export function conversationOptions(open: OpenPanel, features: () => OptionalFeatures | undefined, begun: () => void): ConversationOptions {
  const { host, strings } = open;
  const { values, chosen, isSet } = open.options;
  return Object.defineProperties(
    {
      get endpoint() {
        return open.option('endpoint') && new URL(open.option('endpoint'), host.element.baseURI).href;
      },
      get helpUrl() {
        return open.option('helpUrl') || undefined;
      },
      get lang() {
        return open.lang;
      },
      /** The whole catalog; the element's option contains only a part of it. */
      get texts() {
        return strings.texts;
      },
      get decide() {
        return host.decide();
      },
      /** The page's config without the fields that the element sets itself. */
      get toolCallConfig() {
        const own = open.pageConfig as ToolCallConfig | undefined;
        const overrides = features()?.overrides;
        if (!isObject(own)) return overrides ?? own;
        const { ...config } = own;
        for (const [field, name] of Object.entries(sharedFields)) if (isSet(name)) Reflect.deleteProperty(config, field);
        return { ...config, ...overrides };
      },
      get model() {
        return features()?.model ?? (chosen('model') as string | undefined);
      },
      get limits() {
        return host.config()['limits'] as ConversationOptions['limits'];
      },
      pluginHost: host.element,
      readPage,
      onEvent({ type, ...fields }: HostEvent) {
        if (type === 'stream-start') begun();
        // A token event has only text, in its own object. Cloning thousands of them would take a tenth of the time of an answer.
        const flat = Object.values(fields).every((field) => typeof field !== 'object');
        return host.dispatch(type, deepFreeze(flat ? fields : structuredClone(fields)), cancelable.has(type));
      },
    },
    Object.fromEntries(
      Object.keys(values)
        .filter((name) => !convertedOptions.has(name))
        .map((name) => [name, { enumerable: true, get: (): unknown => (passedOnlyIfSet.has(name) ? chosen(name) : values[name]) }]),
    ),
  ) as ConversationOptions;
}

/**
 * Returns the texts that a selector of `privateValues` finds: values of fields, and the text of each element and of each of its children.
 */
const readPage = (selector: string): string[] =>
  [...document.querySelectorAll<HTMLInputElement>(selector)].flatMap(({ value, textContent, children }) => [
    ...(typeof value === 'string' ? [value] : []),
    textContent,
    ...[...children].map((child) => child.textContent),
  ]);
