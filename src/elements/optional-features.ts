/** The user's choices outside of the chat itself: model, settings, images, suggestions. Loaded with the conversation. */
import { load, loadFor } from '../base/load.js';
import type { Conversation, ConversationOptions } from '../conversation/conversation.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import { trackUnread } from './unread-tracker.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

interface FeatureInputs {
  /** Effective values of all options. */
  values: Readonly<Record<string, unknown>>;
  options: ConversationOptions;
  /** Returns the value that the element or its `config` sets. */
  chosen(name: string): unknown;
  /** Returns the page's own `toolCallConfig`. */
  config(): unknown;
}

export interface OptionalFeatures {
  /** The model that the user chose, or the first of the offered models if the page names none. */
  readonly model: string | undefined;
  /** The user's settings, if any. */
  readonly overrides: ToolCallConfig | undefined;
  /** Applies changed options. */
  changed(): void;
  /** Called when the code that queries the endpoint has loaded. */
  loaded(): void;
}

export function createOptionalFeatures(
  panel: () => ToolChatPanel,
  conversation: Conversation,
  internals: Internals,
  { values, options, chosen, config }: FeatureInputs,
): OptionalFeatures {
  let overrides: ToolCallConfig | undefined;
  let model: string | undefined;
  let canQueryEndpoint = false;
  let hasSuggestions = false;
  let withTextRules: typeof import('./text-rules.js').withTextRules | undefined;
  let loadingRules: Promise<unknown> | undefined;
  let mcpModule: Promise<typeof import('./sync-mcp.js')> | undefined;
  const { surface } = internals;
  const emptySurface = Object.create(surface, {
    view: { get: () => ({ ...surface.view, views: [], cards: {} }) },
    subscribe: { value: () => () => undefined },
  }) as typeof surface;
  let hasInspector = false;
  const updateUnread = trackUnread(panel, surface);
  const offeredModels = () => [...new Set(String(values['models']).split(/\s+/).filter(Boolean))];

  function currentModel(): string | undefined {
    const all = offeredModels();
    return model !== undefined && all.includes(model) ? model : ((chosen('model') as string | undefined) ?? all[0]);
  }

  function showModels(): void {
    const all = offeredModels();
    const current = currentModel() ?? '';
    const models = all.includes(current) ? all : [current, ...all];
    if (all.length < 2) panel().models = undefined;
    else if (panel().models?.current !== current || panel().models?.models.join(' ') !== models.join(' ')) {
      loadFor(() => import('./define-models.js'), useModels);
      panel().models = {
        ...{ models, current },
        choose(chosenModel) {
          model = chosenModel;
          showModels();
        },
      };
    }
  }

  function showSettings(): void {
    if (values['settings'] === 'on') loadFor(() => import('./settings-controller.js'), useSettings);
    else panel().settings = undefined;
  }

  function useSettings({ createSettingsController }: typeof import('./settings-controller.js')): void {
    if (values['settings'] !== 'on') return;
    panel().settings ??= createSettingsController(conversation, internals, {
      pageConfig: () => config() as ToolCallConfig | undefined,
      overrides: () => overrides ?? {},
      override: (changed) => (overrides = { ...overrides, ...changed }),
      option: (name) => (options as Readonly<Record<string, unknown>>)[name],
    });
  }

  function enableSuggestions(): void {
    hasSuggestions = true;
    loadFor(
      () => import('./suggestions.js'),
      ({ followSuggestions }) => followSuggestions(panel(), conversation, internals, () => values['suggest']),
    );
  }

  function syncServer(): void {
    if (values['mcp'] === '' && !mcpModule) return;
    mcpModule ??= load(() => import('./sync-mcp.js'));
    void mcpModule.then(
      ({ syncMcp }) => syncMcp(conversation, values, panel().lang, internals),
      (error: unknown) => {
        mcpModule = undefined;
        internals.log.warn('mcp', 'A part of the widget could not be loaded: there are no tools of the MCP server', {}, { error });
      },
    );
  }

  /** Applies the page's `textRules` to displayed text. No message is displayed until they have loaded. */
  function applyTextRules(): void {
    const rules = values['textRules'];
    if (rules === undefined && !withTextRules) return;
    panel().surface = withTextRules ? withTextRules(surface, rules) : emptySurface;
    loadingRules ??= load(() => import('./text-rules.js'))
      .then(
        (loaded) => loaded.withTextRules,
        // If the rules fail to load, show the original text rather than none.
        () => (original: typeof surface) => original,
      )
      .then((loaded) => {
        withTextRules = loaded;
        applyTextRules();
      });
  }

  function updateInspector(): void {
    hasInspector = true;
    loadFor(() => import('./sync-inspector.js'), useInspector);
  }

  function useInspector({ syncInspector }: typeof import('./sync-inspector.js')): void {
    void syncInspector(panel(), internals.log, values['inspect'] === 'on');
  }

  /** Shows the attach button if the endpoint accepts images. */
  async function updateAttachButton(): Promise<void> {
    panel().attaches = values['attachments'] === 'auto' && (await internals.ahead.seesImages());
  }

  return {
    get model() {
      return currentModel();
    },
    get overrides() {
      return overrides;
    },
    changed() {
      updateUnread();
      showModels();
      applyTextRules();
      syncServer();
      if (canQueryEndpoint) void updateAttachButton();
      if (values['suggest'] !== undefined && !hasSuggestions) enableSuggestions();
      if (hasInspector || values['inspect'] === 'on') updateInspector();
      if ((values['settings'] === 'on') !== (panel().settings !== undefined)) showSettings();
    },
    loaded() {
      canQueryEndpoint = true;
      void updateAttachButton();
    },
  };
}

const useModels = ({ defineModels }: typeof import('./define-models.js')) => defineModels();
