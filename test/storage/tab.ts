/** What a frame of the storage tests can do: a page of its own, with its own modules, that ends when the frame is removed. */
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { createPersistentJournal } from '../../src/storage/persistent-journal.js';
import { createSessionJournal } from '../../src/storage/session-journal.js';
import { createLease } from '../../src/storage/lease.js';
import { joinTabs } from '../../src/storage/tabs.js';

const tab = { createConversationStore, createLastingJournal: createPersistentJournal, createSessionJournal, joinTabs, createLease };
export type Tab = typeof tab;

Object.assign(window, { tab });
