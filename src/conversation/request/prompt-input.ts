/** The inputs and the output of the code that builds a request: settings, usable tools, the state of the relay's gate between requests. */
import type { PromptMacro } from '../../prompts/macros.js';
import type { TurnRequest } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { ConversationServices } from '../chart/services.js';
import type { Protocols } from './protocol-registry.js';
import { createModelCapabilities, type ModelCapabilities } from './model-capabilities.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { ToolRegistry } from '../../tools/registry.js';
import { permissionsOf } from '../options/read-settings.js';
import type { Settings } from '../options/settings.js';
import { own } from '../../base/objects.js';
import type { KeptPart } from '../../model/session.js';

/** The dependencies of a request's text, other than the settings. */
export interface PromptContext extends Pick<ConversationServices, 'registry' | 'log'> {
  protocols: Protocols;
  /** The host's macros by name. */
  macros: Map<string, PromptMacro>;
  /** Names of our own tools that no prompt lists. */
  unlisted: Set<string>;
  /** The tools that the last prompt listed by name only. */
  readonly paged: { tools: Described };
  /** Functions that return sections for the end of the system prompt. None of them rejects. */
  readonly asides: Set<(input: Pick<ReplyInput, 'turn' | 'messages'>) => Promise<string>>;
  /** Warnings already logged about tools that a protocol cannot express well, so that each is logged once. */
  warned: Set<string>;
  /** The known context windows of the models. */
  readonly windows: ModelCapabilities;
  /** The state of the relay's gate, from earlier requests. */
  readonly gate: RelayGateState;
}

export type ComposedRequest = Pick<TurnRequest, 'messages' | 'system' | 'tools' | 'answers' | 'config'> &
  Partial<Pick<TurnRequest, 'maxTokens' | 'grammar' | 'replySchema'>> & {
    /** Hosts whose tool descriptions the request includes and that the page does not trust. This field is not sent. */
    strangers?: readonly string[];
  };
export type Described = ReturnType<typeof import('../../tools/describe-tools.js').describeTools>;

export const createPromptContext = ({ registry, log }: ConversationServices, protocols: Protocols): PromptContext => ({
  ...{ registry, log, protocols, windows: createModelCapabilities(), paged: { tools: [] }, gate: {} },
  ...{ macros: new Map(), unlisted: new Set(), asides: new Set(), warned: new Set() },
});

/** @param unlisted Names of our own tools that no list shows. */
export function usableTools(
  settings: Settings,
  { registry, unlisted }: { readonly registry: ToolRegistry; readonly unlisted: ReadonlySet<string> },
): ToolDefinition[] {
  if (settings.tools === 'off') return [];
  const { toolToggles, defaultToolEnabled, context } = settings;
  return registry.list({ permissions: permissionsOf(context), toolToggles, defaultToolEnabled }).filter(({ name }) => !unlisted.has(name));
}

/** Plain data, saved with the conversation, so that the relay recognizes it after a reload. */
interface RelayGateState {
  /** The relay's id for this conversation. Unlike a `session-id`, it is never shared by several visitors. */
  session?: string;
  /** Ids of calls whose results were sent to the relay. */
  told?: string[];
  /** True if the relay refused a request: the user's next message then starts a new gate session. */
  refused?: boolean;
}

/** The number of ids to remember. Older results are sent again, which is harmless. */
export const MAX_SENT_RESULTS = 500;

/** The slice that `keeping.keep` saves. Invalid data counts as absent; the relay then starts a new gate session. */
export const restoreGateState = (gate: RelayGateState): KeptPart => ({
  save: () => (gate.session === undefined ? undefined : { ...gate }),
  load(kept) {
    const [session, told, refused] = ['session', 'told', 'refused'].map((name) => own(kept, name));
    delete gate.session;
    if (typeof session !== 'string' || session.length > 100 || !Array.isArray(told)) return;
    gate.session = session;
    gate.told = told.filter((id): id is string => typeof id === 'string' && id.length <= 1000).slice(-MAX_SENT_RESULTS);
    gate.refused = refused === true;
  },
});
