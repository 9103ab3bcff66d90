/** Notes in IndexedDB: the page's own database, beside and apart from what the widget keeps. */

const DATABASE = 'tool-chat-demo-research';

/** @returns `{ all(), put(note), remove(id) }`; rejects with what the browser says where there is no database */
export function createNotes() {
  const opened = new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('notes', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const run = async (mode, work) => {
    const transaction = (await opened).transaction('notes', mode);
    const request = work(transaction.objectStore('notes'));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  };
  return {
    all: async () => (await run('readonly', (store) => store.getAll())).sort((a, b) => b.at - a.at),
    put: (note) => run('readwrite', (store) => store.put(note)),
    remove: (id) => run('readwrite', (store) => store.delete(id)),
  };
}
