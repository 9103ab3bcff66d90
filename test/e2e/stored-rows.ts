/** What a browser keeps of a conversation. */
import type { Driver } from './driver.js';

/** The rows of the session in the page's database; undefined while there is none. */
export const storedRows = (driver: Driver, session: string): Promise<unknown[] | undefined> => driver.evaluate(readRows, session);

/** Runs in the page. Creates no database: one that is looked for too early would stay empty. */
async function readRows(session: string): Promise<unknown[] | undefined> {
  const request = indexedDB.open('tool-chat');
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onerror = () => reject(new Error('not yet'));
  }).catch(() => undefined);
  if (!db) return undefined;
  const rows = await new Promise<unknown[]>((resolve) => {
    const all = db
      .transaction('conversations')
      .objectStore('conversations')
      .getAll(IDBKeyRange.bound(['live', session], ['live', session, []]));
    all.onsuccess = () => resolve(all.result as unknown[]);
  });
  db.close();
  return rows;
}
