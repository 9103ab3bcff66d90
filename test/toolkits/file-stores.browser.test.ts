/** The places for files that only browsers have. */
import { expect } from '@open-wc/testing';
import { fileTools } from '../../src/toolkits/files/file-tools.js';
import { openFileStore, type FileStore } from '../../src/toolkits/files/file-store.js';
import { describeFileStore } from './file-contract.js';

let stores = 0;
const fresh = (): FileStore => openFileStore(`test-${String(Date.now())}-${String((stores += 1))}`);

describeFileStore('the browser', fresh);

describe('files in the database, where there is no file system', () => {
  // WebKitGTK has none to take away.
  const { storage } = navigator as Partial<Navigator>;
  const getDirectory = storage?.getDirectory;
  before(() => {
    if (storage) storage.getDirectory = () => Promise.reject(new DOMException('no', 'SecurityError'));
  });
  after(() => {
    if (storage && getDirectory) storage.getDirectory = getDirectory;
  });
  describeFileStore('the database', fresh);

  it('are really there', async () => {
    const name = `test-${String(Date.now())}-db`;
    await openFileStore(name).write(['a'], 'x');
    expect((await indexedDB.databases()).map((one) => one.name)).to.include(`tool-chat-files-${name}`);
  });
});

describe('fileTools() in a browser', () => {
  it('keep in the same place what another part of the page opens by the same name (S3-30)', async () => {
    const name = `test-${String(Date.now())}-shared`;
    const [, , write] = fileTools({ store: openFileStore(name), undoStore: openFileStore(`${name}-undo`), lang: 'en' });
    await write!.execute({ path: '/a.txt', content: 'hi' }, { requestId: 'r1' } as never);
    expect(await openFileStore(name).read(['a.txt'])).to.equal('hi');
  });
});
