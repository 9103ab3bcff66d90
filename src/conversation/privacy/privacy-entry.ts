/**
 * The entry point of private values: the only part of this folder that loads if a conversation has none. It wraps the settings, so that
 * every request passes through it: `beforeSend` is the last step of each request.
 */
import { load } from '../../base/load.js';
import type { Guard, Privacy } from '../chart/private-values.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import type { ReadPage } from '../options/option-shapes.js';
import type { Settings } from '../options/settings.js';
import type { OutgoingRequest } from '../../transports/prepare-request.js';
import type { Prompter } from './private-guard.js';

export interface PrivacyEntry extends Privacy {
  /** Must be called before the first turn. */
  begin(chart: Chart, services: ConversationServices, speaker: Prompter): void;
}

/** @param hasSecrets returns true if a tool with sensitive arguments is registered */
export function createPrivacyEntry(
  options: { readonly privateValues?: unknown; readonly readPage?: ReadPage | undefined },
  hasSecrets: () => boolean,
): PrivacyEntry {
  let guard: Guard | undefined;
  let loading: Promise<Guard> | undefined;
  let stored: unknown;
  let sent: unknown;
  let around: [Chart, ConversationServices, Prompter];

  async function open(): Promise<Guard> {
    const { createGuard } = await load(() => import('./private-guard.js'));
    guard = createGuard(...around, () => options.readPage);
    guard.kept.load(stored);
    return guard;
  }
  function ready(now: Pick<Settings, 'privateValues'> = around[1].settings()): Promise<Guard> | undefined {
    if (now.privateValues !== undefined || stored !== undefined || hasSecrets())
      loading ??= open().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  }
  const tokenize = async <Value>(value: Value): Promise<Value> => {
    const hides = await ready();
    return hides ? hides.tokenize(value) : value;
  };

  function note(last: OutgoingRequest): OutgoingRequest {
    sent = last.body;
    return last;
  }
  async function look(request: OutgoingRequest, guarding: Promise<Guard> | undefined, host: Settings['beforeSend']) {
    const hides = await guarding;
    const last = hides ? await hides.send(request, host) : host ? await host(request) : request;
    return last && note(last);
  }

  return {
    ...{ ready, tokenize },
    detokenize: (value) => (guard ? guard.detokenize(value) : value),
    over(now) {
      const { beforeSend, embed, memoryOptions } = now;
      const { summarise } = memoryOptions;
      return {
        ...now,
        beforeSend(request) {
          const guarding = ready(now);
          // If there is nothing to hide and no `beforeSend`, the request is not delayed.
          return guarding || beforeSend ? look(request, guarding, beforeSend) : note(request);
        },
        ...(embed && { embed: async (text) => embed(await tokenize(text)) }),
        ...(summarise && { memoryOptions: { ...memoryOptions, summarise: async (lines) => summarise(await tokenize(lines)) } }),
      };
    },
    get sent() {
      return sent;
    },
    begin: (...parts) => void (around = parts),
    kept: {
      save: () => (guard ? guard.kept.save() : stored),
      load(kept) {
        stored = kept;
        guard?.kept.load(kept);
      },
    },
  };
}
