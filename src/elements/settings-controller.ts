/** Connects the settings page of the menu to the conversation. The user can only make the page's own settings stricter. */
import type { Conversation } from '../conversation/conversation.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import { builtIn } from '../protocols/built-in-protocols.js';
import { estimateTokens } from '../prompts/tokens.js';
import type { SettingsController } from './tool-chat-menu/menu-pages.js';

interface SettingsSource {
  /** Returns the page's own settings. */
  pageConfig(): ToolCallConfig | undefined;
  overrides(): ToolCallConfig;
  override(changes: ToolCallConfig): void;
  /** Returns the effective value of an option, without `toolCallConfig`. */
  option(name: string): unknown;
}

export function createSettingsController(
  conversation: Conversation,
  { everyTool }: Internals,
  { pageConfig, overrides, override, option }: SettingsSource,
): SettingsController {
  const isOn = (name: string, { toolToggles = {}, defaultToolEnabled = true }: ToolCallConfig = {}) =>
    Object.hasOwn(toolToggles, name) ? toolToggles[name] === true : defaultToolEnabled;
  const offByPage = () => pageConfig()?.enabled === false || option('tools') === 'off';

  return {
    get overrides() {
      return overrides();
    },
    now() {
      const all = { ...pageConfig(), ...overrides() };
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
        ...{ name, label, isOn: isOn(name, pageConfig()) && isOn(name, overrides()), canChange: isOn(name, pageConfig()) },
        ...(icon && { icon }),
      })),
    protocols: Object.keys(builtIn),
    set(changes) {
      const { toolToggles, ...rest } = changes;
      // When the default changes, existing tools keep their state.
      const current =
        'defaultToolEnabled' in changes ? Object.fromEntries(everyTool().map(({ name }) => [name, isOn(name, overrides())])) : {};
      const off = Object.fromEntries(Object.entries(toolToggles ?? {}).map(([name, on]) => [name, on && isOn(name, pageConfig())]));
      const toggles = { ...pageConfig()?.toolToggles, ...overrides().toolToggles, ...current, ...off };
      const approval = changes.requireConfirmation === false ? { requireConfirmation: pageConfig()?.requireConfirmation === true } : {};
      override({ ...rest, ...approval, ...(changes.enabled === true && offByPage() && { enabled: false }), toolToggles: toggles });
    },
    async preview() {
      const text = await conversation.generatePrompt();
      return { text, tokens: estimateTokens(text) };
    },
  };
}
