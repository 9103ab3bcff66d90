/**
 * A profile learnt from use (Y-14): only where the page has switched it on (`memoryOptions.profile`) and the person has agreed, only from what
 * the person typed after that, and from no turn that outside content had a part in. All of it stands in the list of what is remembered, the
 * agreement too: who forgets that has withdrawn it, and nothing more is learnt or told.
 */
import { wholeEnglish, type Texts } from '../../i18n/en.js';
import type { Log } from '../../base/logging.js';
import type { MemoryItem, MemoryStore } from '../../model/memory.js';
import { itemId } from '../../memory/items.js';
import { askForProfile, readProfile } from '../../memory/profile-notes.js';
import type { ChatMessage } from '../../model/messages.js';
import { languageOf, ownWords } from './memory-queries.js';
import type { Notice } from '../chart/notices.js';
import type { Settings } from '../options/settings.js';
import type { RememberedView } from '../../model/snapshot.js';
import type { SummaryRequest } from './summarising.js';
import type { ConversationContext } from '../chart/chart-context.js';

wholeEnglish();

const CONSENT = 'profile consent';
const REFUSAL = 'profile refusal';
const PREFIX = 'profile: ';

/** Items of one person; a new value of the same name takes the place of the old one. */
const MOST = 30;

export interface ProfileDependencies {
  log: Log;
  notice(notice: Notice): void;
  /** Changes the store, one change after the other, and shows what came of it. */
  change(work: (store: MemoryStore) => Promise<void>): Promise<void>;
  ask(request: SummaryRequest, settings: Settings, signal: AbortSignal): Promise<string>;
  context(): Pick<ConversationContext, 'messages' | 'calls' | 'parts'>;
  /** As the person reads it. */
  inward<Value>(value: Value): Value;
}

/** Part of the profile or an answer to the question about it: told apart from all else that is remembered. */
export const isOfProfile = ({ id }: Pick<MemoryItem, 'id'>) => isAnswer({ id }) || id.startsWith(PREFIX);

/** The person's yes or no: nothing to be changed, only to be taken back. */
export const isAnswer = ({ id }: Pick<MemoryItem, 'id'>) => id === CONSENT || id === REFUSAL;

/** As the person sees it. */
export const toRemembered = ({ id, kind, text }: MemoryItem, { texts }: Pick<Settings, 'texts'>): RememberedView =>
  isAnswer({ id }) ? { id, kind, text: sayAnswer(id, texts), lasting: true } : { id, kind, text };

const sayAnswer = (id: string, { profileAllowed, profileRefused }: Texts) => (id === CONSENT ? profileAllowed : profileRefused);

export const isOn = ({ memory, memoryOptions }: Pick<Settings, 'memory' | 'memoryOptions'>) =>
  memory === 'layered' && memoryOptions.profile === true;

const consentIn = (items: readonly MemoryItem[]) => items.find(({ id }) => id === CONSENT);

/** What the model is told of it; nothing once the consent is gone. */
export function profileIn(items: readonly MemoryItem[], settings: Settings): string[] {
  return isOn(settings) && consentIn(items) ? items.filter(({ id }) => id.startsWith(PREFIX)).map(({ text }) => text) : [];
}

export function createProfile({ log, notice, change, ask, context, inward }: ProfileDependencies) {
  let asked = false;
  /** Readable by whoever looks into the store; the list says it in the reader's language. */
  const answer = (id: string) => {
    void change((store) => store.put({ id, kind: 'slot', text: id, createdAt: Date.now(), usedAt: Date.now() })).catch((error: unknown) => {
      log.warn('memory.write', 'The answer about the profile could not be kept', {}, { error });
    });
  };

  return {
    /** Asks the person, once; a no is kept like a yes. */
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
    /** Never rejects: what is not learnt now is not learnt. */
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
          // Withdrawn meanwhile, also if it was given anew.
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
