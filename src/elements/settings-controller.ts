/** Connects the settings page of the menu to the conversation. The user can only make the page's own settings stricter. */
import type { Conversation } from '../conversation/conversation.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import { builtIn } from '../protocols/built-in-protocols.js';
import { estimateTokens } from '../prompts/tokens.js';
import type { SettingsDesk } from './tool-chat-menu/settings-page.js';

interface Wishing {
  /** Returns the page's own settings. */
  given(): ToolCallConfig | undefined;
  wishes(): ToolCallConfig;
  wish(wanted: ToolCallConfig): void;
  /** Returns the effective value of an option, without `toolCallConfig`. */
  option(name: string): unknown;
}

export function createSettingsDesk(
  conversation: Conversation,
  { everyTool }: Internals,
  { given, wishes, wish, option }: Wishing,
): SettingsDesk {
  const isOn = (name: string, { toolToggles = {}, defaultToolEnabled = true }: ToolCallConfig = {}) =>
    Object.hasOwn(toolToggles, name) ? toolToggles[name] === true : defaultToolEnabled;
  const offByPage = () => given()?.enabled === false || option('tools') === 'off';

  return {
    get wishes() {
      return wishes();
    },
    now() {
      const all = { ...given(), ...wishes() };
      return {
        tools: all.enabled !== false && !offByPage(),
        maxIterations: all.maxIterations ?? ((option('maxIterations') ?? 5) as number),
        toolTimeout: all.timeout ?? ((option('toolTimeout') ?? 30_000) as number),
        asksAlways:
          all.requireConfirmation === true || all.mode === 'manual' || ['always', 'user-run'].includes(String(option('approval'))),
        parallel: all.parallelExecution ?? option('execution') === 'parallel',
        protocol: all.protocol ?? ((option('protocol') || 'xml-invoke') as string),
      };
    },
    tools: () =>
      everyTool().map(({ name, label = name, icon }) => ({
        ...{ name, label, isOn: isOn(name, given()) && isOn(name, wishes()), canChange: isOn(name, given()) },
        ...(icon && { icon }),
      })),
    protocols: Object.keys(builtIn),
    set(wanted) {
      const { toolToggles, ...rest } = wanted;
      // When the default changes, existing tools keep their state.
      const known = 'defaultToolEnabled' in wanted ? Object.fromEntries(everyTool().map(({ name }) => [name, isOn(name, wishes())])) : {};
      const off = Object.fromEntries(Object.entries(toolToggles ?? {}).map(([name, on]) => [name, on && isOn(name, given())]));
      const toggles = { ...given()?.toolToggles, ...wishes().toolToggles, ...known, ...off };
      const approval = wanted.requireConfirmation === false ? { requireConfirmation: given()?.requireConfirmation === true } : {};
      wish({ ...rest, ...approval, ...(wanted.enabled === true && offByPage() && { enabled: false }), toolToggles: toggles });
    },
    async preview() {
      const text = await conversation.generatePrompt();
      return { text, tokens: estimateTokens(text) };
    },
  };
}
