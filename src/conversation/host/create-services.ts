/** Creates the services of a conversation from the host's options, which are read each time they are needed. */
import { english } from '../../i18n/english.js';
import { createId } from '../../base/ids.js';
import { createLog } from '../../base/logging.js';
import { createRegistry } from '../../tools/registry.js';
import { realClock, timerOf } from '../chart/clock.js';
import { notifyHostSafely } from '../chart/hooks.js';
import { createNotices } from '../chart/notices.js';
import { createConversationBus, type StorageLocation, type ConversationServices } from '../chart/services.js';
import { readSettings } from '../options/read-settings.js';
import { createPrivacyEntry, type PrivacyEntry } from '../privacy/privacy-entry.js';
import { createProtocols } from '../request/protocol-registry.js';
import { createPromptContext, type PromptContext } from '../request/prompt-input.js';
import type { ConversationOptions } from './api.js';
import { createTrace, type Trace } from './trace.js';

export interface ServicesInput {
  services: ConversationServices & { privacy: PrivacyEntry };
  speaker: PromptContext;
  trace: Trace;
}

export function createServices(options: ConversationOptions): ServicesInput {
  const texts = () => options.texts ?? english;
  const trace = createTrace(texts);
  const log = trace.listen(
    createLog({
      get level() {
        return options.logLevel;
      },
      get logger() {
        return options.logger;
      },
      emit: (entry) => void options.onEvent?.({ type: 'log', entry }),
    }),
  );
  const clock = options.clock ?? realClock;
  const registry = createRegistry();
  const protocols = createProtocols(log);
  const happenings = createConversationBus();
  const { emit, on } = happenings;
  const changed = () => emit('view');
  function placeOf(before?: StorageLocation): StorageLocation {
    const { storage, sessionId: name } = readSettings(options, log);
    // Without a storage, messages under another session id were not saved, so a change of the id starts with a new conversation.
    const stays = before && (before.name === name || before.name === '') && before.storage === 'none';
    const unkept = () => (stays ? before.firstSession : createId('session'));
    return { storage, name, firstSession: storage !== 'none' ? name || 'default' : unkept() };
  }
  let place = placeOf();
  let sessionId = place.firstSession;
  let opened = 0;
  let person = false;
  on('person', () => (person = true));
  const hasSecrets = () => registry.list().some(({ sensitive }) => Boolean(sensitive));
  const privacy = createPrivacyEntry(options, hasSecrets);
  const services: ServicesInput['services'] = {
    ...{ ...happenings, log, clock, registry, texts, changed, privacy, hasSecrets },
    get storage() {
      return place.storage;
    },
    get firstSession() {
      return place.firstSession;
    },
    get sessionId() {
      return sessionId;
    },
    openSession: (id) => void (sessionId = id),
    nextLocation() {
      const { storage, sessionId: name } = readSettings(options, log);
      if (storage === place.storage && name === place.name) return undefined;
      const next = placeOf(place);
      if (storage !== 'none' && storage === place.storage && next.firstSession === place.firstSession) return undefined;
      // An unsaved conversation without a name continues under the new name. Any other name is another conversation.
      return { ...next, carries: name === place.name || (place.name === '' && place.storage === 'none') };
    },
    moveTo(next) {
      place = next;
      if (next.storage === 'none') sessionId = next.firstSession;
    },
    get opened() {
      return opened;
    },
    openedAnother() {
      opened += 1;
      changed();
    },
    setTimer: timerOf(clock),
    wires: [],
    notices: createNotices(changed),
    settings(over = {}) {
      const now = { ...readSettings(options, log), ...over };
      const autoProtocol = now.protocol === 'auto';
      return privacy.over({
        ...now,
        sessionId: place.storage === 'none' ? place.name || now.sessionId || sessionId : sessionId,
        protocol: protocols.choose(now),
        autoProtocol,
      });
    },
    protocol: () => options.protocol,
    decide: () => options.decide,
    hasUser: () => person,
    notifyHost: notifyHostSafely(options, log),
  };
  return { services, speaker: createPromptContext(services, protocols), trace };
}
