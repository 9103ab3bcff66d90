/**
 * A profile learned from use. It needs both the page's option (`memoryOptions.profile`) and the user's consent. It uses only what the user
 * typed after that, and no turn with untrusted content. The memory list shows all of it, including the consent: deleting the consent
 * withdraws it, and then nothing more is learned or sent.
 */
import { fullEnglish, type Texts } from '../../i18n/en.js';
import type { Log } from '../../base/logging.js';
import type { MemoryItem, MemoryStore } from '../../model/memory.js';
import { itemId } from '../../memory/items.js';
import { askForProfile, readProfile } from '../../memory/summary-notes.js';
import type { ChatMessage } from '../../model/messages.js';
import { languageOf, ownWords } from './memory-queries.js';
import type { Notice } from '../chart/notices.js';
import type { Settings } from '../options/settings.js';
import type { RememberedView } from '../../model/snapshot.js';
import type { SummaryRequest } from './summarize.js';
import type { ConversationContext } from '../chart/chart-context.js';

fullEnglish();

const CONSENT = 'profile consent';
const REFUSAL = 'profile refusal';
const PREFIX = 'profile: ';

/** The maximum number of profile items. A new value replaces an old one of the same name. */
const MOST = 30;

export interface ProfileDependencies {
  log: Log;
  notice(notice: Notice): void;
  /** Changes the store, one change at a time, and updates the view. */
  change(work: (store: MemoryStore) => Promise<void>): Promise<void>;
  ask(request: SummaryRequest, settings: Settings, signal: AbortSignal): Promise<string>;
  context(): Pick<ConversationContext, 'messages' | 'calls' | 'parts'>;
  /** Replaces tokens of private values with the values. */
  inward<Value>(value: Value): Value;
}

/** True for profile items and for the answer to the consent request. */
export const isOfProfile = ({ id }: Pick<MemoryItem, 'id'>) => isAnswer({ id }) || id.startsWith(PREFIX);

/** True for the user's consent or refusal, which can be deleted, but not edited. */
export const isAnswer = ({ id }: Pick<MemoryItem, 'id'>) => id === CONSENT || id === REFUSAL;

/** Returns an item as the user sees it. */
export const toRemembered = ({ id, kind, text }: MemoryItem, { texts }: Pick<Settings, 'texts'>): RememberedView =>
  isAnswer({ id }) ? { id, kind, text: sayAnswer(id, texts), lasting: true } : { id, kind, text };

const sayAnswer = (id: string, { profileAllowed, profileRefused }: Texts) => (id === CONSENT ? profileAllowed : profileRefused);

export const isOn = ({ memory, memoryOptions }: Pick<Settings, 'memory' | 'memoryOptions'>) =>
  memory === 'layered' && memoryOptions.profile === true;

const consentIn = (items: readonly MemoryItem[]) => items.find(({ id }) => id === CONSENT);

/** Returns the profile items for the prompt; none without consent. */
export function profileIn(items: readonly MemoryItem[], settings: Settings): string[] {
  return isOn(settings) && consentIn(items) ? items.filter(({ id }) => id.startsWith(PREFIX)).map(({ text }) => text) : [];
}

export function createProfile({ log, notice, change, ask, context, inward }: ProfileDependencies) {
  let asked = false;
  /** Stores the id as text, so that the raw store stays readable. The list shows it in the user's language. */
  const answer = (id: string) => {
    void change((store) => store.put({ id, kind: 'slot', text: id, createdAt: Date.now(), usedAt: Date.now() })).catch((error: unknown) => {
      log.warn('memory.write', 'The answer about the profile could not be kept', {}, { error });
    });
  };

  return {
    /** Asks for consent once. A refusal is stored like a consent. */
    offer(items: readonly MemoryItem[], settings: Settings) {
      if (asked || !isOn(settings) || items.some(isAnswer)) return;
      asked = true;
      notice({
        id: 'profile',
        text: ({ profileAsk }) => profileAsk,
        action: {
          label: ({ profileAllow }) => profileAllow,
          run: () => {
            answer(CONSENT);
          },
        },
        closed: () => {
          answer(REFUSAL);
        },
      });
    },
    /** Learns from these messages. Never rejects: if it fails, these messages are skipped. */
    async learn(messages: readonly ChatMessage[], items: readonly MemoryItem[], settings: Settings, signal: AbortSignal): Promise<void> {
      const consent = consentIn(items);
      if (!isOn(settings) || !consent) return;
      const lines = ownWords(messages, context(), consent.createdAt);
      if (lines.length === 0) return;
      try {
        const learnt = inward(readProfile(await ask(askForProfile(lines, languageOf(settings)), settings, signal)));
        if (learnt.length === 0) return;
        await change(async (store) => {
          signal.throwIfAborted();
          const there = await store.list();
          // The consent was withdrawn in the meantime, even if it was given again since.
          if (consentIn(there)?.createdAt !== consent.createdAt) return;
          let room = MOST - there.filter(({ id }) => id.startsWith(PREFIX)).length;
          for (const { name, text } of learnt) {
            const id = itemId('preference', name).replace(/^preference /, PREFIX);
            const known = there.find((item) => item.id === id);
            if (!known && (room -= 1) < 0) continue;
            const now = Date.now();
            await store.put({ id, kind: 'preference', text, createdAt: known?.createdAt ?? now, usedAt: now });
          }
        });
      } catch (error) {
        if (!signal.aborted) log.warn('memory.profile', 'Nothing was learnt for the profile this time', {}, { error });
      }
    },
  };
}
