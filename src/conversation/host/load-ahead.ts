/** Preloads the code that a conversation will need next, while the user reads, writes or waits for an answer. */
import { load } from '../../base/load.js';
import { chooseWire } from '../../transports/choose-wire.js';
import { baseUrl } from '../../transports/prepare-request.js';
import type { LazyPermissions } from '../calls/call-actors.js';
import { loadCallSteps } from '../chart/lazy-call-steps.js';
import type { ConversationServices } from '../chart/services.js';
import type { Settings } from '../options/settings.js';
import type { PromptContext } from '../request/prompt-input.js';

export interface LoadAhead {
  /** Loads the code for the first request: its wire and, with tools, the prompt and the parser. */
  request(): Promise<unknown>;
  /** Checks whether the endpoint accepts images; false if that is unknown. */
  seesImages(): Promise<boolean>;
  /** Loads the code for a first call; nothing without tools. */
  calls(): Promise<unknown>;
}

export function createLoadAhead(
  { registry, wires, settings }: ConversationServices,
  { protocols }: PromptContext,
  grants: LazyPermissions,
): LoadAhead {
  const hasTools = (now: Settings) => now.tools === 'on' && registry.list().length > 0;
  return {
    async request() {
      const now = settings();
      const endpoint = URL.parse(now.endpoint, baseUrl());
      await Promise.all([
        endpoint && chooseWire(now.wire, endpoint, wires),
        hasTools(now) && loadCallSteps(),
        hasTools(now) && protocols.reader(now.protocol),
        (hasTools(now) || now.systemPrompt !== '') &&
          load(() => import('../request/prompt-context.js')).then(({ loadPrompts }) => loadPrompts(now)),
      ]);
    },
    async seesImages() {
      const { endpoint: address, wire: id } = settings();
      const endpoint = address ? URL.parse(address, baseUrl()) : null;
      if (!endpoint) return false;
      const wire = await chooseWire(id, endpoint, wires).catch(() => undefined);
      return wire?.images !== undefined && wire.images !== false;
    },
    async calls() {
      if (hasTools(settings())) await grants.ahead();
    },
  };
}
