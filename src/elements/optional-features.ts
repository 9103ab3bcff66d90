/** The user's choices outside of the chat itself: model, settings, images, suggestions. Loaded with the conversation. */
import { load, loadFor } from '../base/load.js';
import type { Conversation, ConversationOptions } from '../conversation/conversation.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import { watchClosed } from './unread-tracker.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

interface Given {
  /** Effective values of all options. */
  values: Readonly<Record<string, unknown>>;
  options: ConversationOptions;
  /** Returns the value that the element or its `config` sets. */
  chosen(name: string): unknown;
  /** Returns the page's own `toolCallConfig`. */
  config(): unknown;
}

export interface Choices {
  /** The model that the user chose, or the first of the offered models if the page names none. */
  readonly model: string | undefined;
  /** The user's settings, if any. */
  readonly wishes: ToolCallConfig | undefined;
  /** Applies changed options. */
  changed(): void;
  /** Called when the code that queries the endpoint has loaded. */
  loaded(): void;
}

export function createChoices(
  panel: () => ToolChatPanel,
  conversation: Conversation,
  internals: Internals,
  { values, options, chosen, config }: Given,
): Choices {
  let wishes: ToolCallConfig | undefined;
  let model: string | undefined;
  let canAsk = false;
  let suggests = false;
  let underRules: typeof import('./text-rules.js').underRules | undefined;
  let loading: Promise<unknown> | undefined;
  let server: Promise<typeof import('./follow-mcp.js')> | undefined;
  const { surface } = internals;
  const unseen = Object.create(surface, {
    view: { get: () => ({ ...surface.view, views: [], cards: {} }) },
    subscribe: { value: () => () => undefined },
  }) as typeof surface;
  let inspects = false;
  const lookForNews = watchClosed(panel, surface);
  const offered = () => [...new Set(String(values['models']).split(/\s+/).filter(Boolean))];

  function modelNow(): string | undefined {
    const all = offered();
    return model !== undefined && all.includes(model) ? model : ((chosen('model') as string | undefined) ?? all[0]);
  }

  function showModels(): void {
    const all = offered();
    const current = modelNow() ?? '';
    const models = all.includes(current) ? all : [current, ...all];
    if (all.length < 2) panel().models = undefined;
    else if (panel().models?.current !== current || panel().models?.models.join(' ') !== models.join(' ')) {
      loadFor(() => import('./define-models.js'), useModels);
      panel().models = {
        ...{ models, current },
        choose(wanted) {
          model = wanted;
          showModels();
        },
      };
    }
  }

  function showSettings(): void {
    if (values['settings'] === 'on') loadFor(() => import('./settings-controller.js'), useSettings);
    else panel().settings = undefined;
  }

  function useSettings({ createSettingsDesk }: typeof import('./settings-controller.js')): void {
    if (values['settings'] !== 'on') return;
    panel().settings ??= createSettingsDesk(conversation, internals, {
      given: () => config() as ToolCallConfig | undefined,
      wishes: () => wishes ?? {},
      wish: (wanted) => (wishes = { ...wishes, ...wanted }),
      option: (name) => (options as Readonly<Record<string, unknown>>)[name],
    });
  }

  function suggest(): void {
    suggests = true;
    loadFor(
      () => import('./suggestions.js'),
      ({ followSuggestions }) => followSuggestions(panel(), conversation, internals, () => values['suggest']),
    );
  }

  function followServer(): void {
    if (values['mcp'] === '' && !server) return;
    server ??= load(() => import('./follow-mcp.js'));
    void server.then(
      ({ followMcp }) => followMcp(conversation, values, panel().lang, internals),
      (error: unknown) => {
        server = undefined;
        internals.log.warn('mcp', 'A part of the widget could not be loaded: there are no tools of the MCP server', {}, { error });
      },
    );
  }

  /** Applies the page's `textRules` to displayed text. No message is displayed until they have loaded. */
  function showByRules(): void {
    const rules = values['textRules'];
    if (rules === undefined && !underRules) return;
    panel().surface = underRules ? underRules(surface, rules) : unseen;
    loading ??= load(() => import('./text-rules.js'))
      .then(
        (loaded) => loaded.underRules,
        // If the rules fail to load, show the original text rather than none.
        () => (given: typeof surface) => given,
      )
      .then((loaded) => {
        underRules = loaded;
        showByRules();
      });
  }

  function inspect(): void {
    inspects = true;
    loadFor(() => import('./follow-inspect.js'), useInspector);
  }

  function useInspector({ followInspect }: typeof import('./follow-inspect.js')): void {
    void followInspect(panel(), internals.log, values['inspect'] === 'on');
  }

  /** Shows the attach button if the endpoint accepts images. */
  async function showAttaching(): Promise<void> {
    panel().attaches = values['attachments'] === 'auto' && (await internals.ahead.seesImages());
  }

  return {
    get model() {
      return modelNow();
    },
    get wishes() {
      return wishes;
    },
    changed() {
      lookForNews();
      showModels();
      showByRules();
      followServer();
      if (canAsk) void showAttaching();
      if (values['suggest'] !== undefined && !suggests) suggest();
      if (inspects || values['inspect'] === 'on') inspect();
      if ((values['settings'] === 'on') !== (panel().settings !== undefined)) showSettings();
    },
    loaded() {
      canAsk = true;
      void showAttaching();
    },
  };
}

const useModels = ({ defineModels }: typeof import('./define-models.js')) => defineModels();
