/** What a person chooses and sets beside talking: the model, settings, pictures, what to say next. Comes with the conversation. */
import { load, loadFor } from '../base/load.js';
import type { Conversation, ConversationOptions } from '../conversation/conversation.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ToolCallConfig } from '../conversation/options/tool-call-config.js';
import { watchClosed } from './closed-news.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

interface Given {
  /** Effective values of the options that the launcher does not know. */
  more: Readonly<Record<string, unknown>>;
  options: ConversationOptions;
  /** What the element or its `config` sets. */
  chosen<Value>(name: string): Value | undefined;
}

export interface Choices {
  /** The one that the person chose, or the first that is offered where the page names none. */
  readonly model: string | undefined;
  /** What the person has set, if anything. */
  readonly wishes: ToolCallConfig | undefined;
  /** An option is another one. */
  changed(): void;
  /** What asks the endpoint is there. */
  loaded(): void;
}

export function createChoices(
  panel: () => ToolChatPanel,
  conversation: Conversation,
  internals: Internals,
  { more, options, chosen }: Given,
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
  const atStart = new CSSStyleSheet();
  const offered = () => [...new Set(String(more['models']).split(/\s+/).filter(Boolean))];

  function modelNow(): string | undefined {
    const all = offered();
    return model !== undefined && all.includes(model) ? model : (chosen<string>('model') ?? all[0]);
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

  /** Styles look at the attribute. Those of a sidebar at the other side are for the few that have one. */
  function place(): void {
    const { host, adoptedStyleSheets: sheets } = panel().getRootNode() as ShadowRoot;
    if (host?.ownerDocument !== document) return;
    if ((host.getAttribute('position') ?? 'end') !== more['position']) host.setAttribute('position', String(more['position']));
    if (more['position'] !== 'start' || sheets.includes(atStart)) return;
    atStart.replaceSync(':host([layout=sidebar][position=start]){inset-inline:0 auto}');
    sheets.push(atStart);
  }

  function showSettings(): void {
    if (more['settings'] === 'on') loadFor(() => import('./settings-desk.js'), useSettings);
    else panel().settings = undefined;
  }

  function useSettings({ createSettingsDesk }: typeof import('./settings-desk.js')): void {
    if (more['settings'] !== 'on') return;
    panel().settings ??= createSettingsDesk(conversation, internals, {
      given: () => chosen<ToolCallConfig>('toolCallConfig'),
      wishes: () => wishes ?? {},
      wish: (wanted) => (wishes = { ...wishes, ...wanted }),
      option: (name) => (options as Readonly<Record<string, unknown>>)[name],
    });
  }

  function suggest(): void {
    suggests = true;
    loadFor(
      () => import('./suggestions.js'),
      ({ followSuggestions }) => followSuggestions(panel(), conversation, internals, () => more['suggest']),
    );
  }

  function followServer(): void {
    if (more['mcp'] === '' && !server) return;
    server ??= load(() => import('./follow-mcp.js'));
    void server.then(
      ({ followMcp }) => followMcp(conversation, more, panel().lang, internals),
      (error: unknown) => {
        server = undefined;
        internals.log.warn('mcp', 'A part of the widget could not be loaded: there are no tools of the MCP server', {}, { error });
      },
    );
  }

  /** The page's rules for what is shown. Until they are there, nothing is. */
  function showByRules(): void {
    const rules = more['textRules'];
    if (rules === undefined && !underRules) return;
    panel().surface = underRules ? underRules(surface, rules) : unseen;
    loading ??= load(() => import('./text-rules.js'))
      .then(
        (loaded) => loaded.underRules,
        // Better as it was written than not at all.
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
    void followInspect(panel(), internals.log, more['inspect'] === 'on');
  }

  /** Where the endpoint takes pictures. */
  async function showAttaching(): Promise<void> {
    panel().attaches = more['attachments'] === 'auto' && (await internals.ahead.seesImages());
  }

  return {
    get model() {
      return modelNow();
    },
    get wishes() {
      return wishes;
    },
    changed() {
      place();
      lookForNews();
      showModels();
      showByRules();
      followServer();
      if (canAsk) void showAttaching();
      if (more['suggest'] !== undefined && !suggests) suggest();
      if (inspects || more['inspect'] === 'on') inspect();
      if ((more['settings'] === 'on') !== (panel().settings !== undefined)) showSettings();
    },
    loaded() {
      canAsk = true;
      void showAttaching();
    },
  };
}

const useModels = ({ defineModels }: typeof import('./define-models.js')) => defineModels();
