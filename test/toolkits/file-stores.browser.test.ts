/** The places for files that only browsers have. */
import { expect } from '@open-wc/testing';
import { fileTools } from '../../src/toolkits/files/file-tools.js';
import { openTree, openFileStore, type FileStore } from '../../src/toolkits/files/file-store.js';
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

describe('tabs that open the files at once', () => {
  it('find the same place', async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const name = `test-${String(Date.now())}-tabs-${String(turn)}`;
      const [one, other] = [openTree(name), openTree(name)];
      expect(await Promise.all([one.list([]), other.list([])])).to.deep.equal([[], []]);
      await one.write(['a'], 'x');
      expect(await other.read(['a'])).to.equal('x');
    }
  });
});

// WebKitGTK keeps files in its database.
if ('FileSystemFileHandle' in window && 'createWritable' in FileSystemFileHandle.prototype)
  describe('a file system that is full', () => {
    const files = FileSystemFileHandle.prototype;
    const { createWritable } = files;
    before(() => {
      files.createWritable = async function (...options) {
        const stream = await createWritable.apply(this, options);
        stream.write = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
        return stream;
      };
    });
    after(() => (files.createWritable = createWritable));

    it('is still where the files are, and takes no half of a new one', async () => {
      const name = `test-${String(Date.now())}-full`;
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(`tool-chat-${name}`, { create: true });
      await root.getFileHandle('a', { create: true });
      const store = openTree(name);
      expect(await store.read(['a'])).to.equal('');
      const refused = await store.write(['d', 'new'], 'x').catch((error: unknown) => error);
      expect((refused as Error).name).to.equal('QuotaExceededError');
      expect(await store.list([])).to.deep.equal([{ name: 'a', kind: 'file' }]);
    });
  });

describe('fileTools() in a browser', () => {
  it('take back what holds half a character or begins with a mark, and write what they have shown, where another part of the page opens them by the same name (S3-29, S3-30)', async () => {
    const name = `test-${String(Date.now())}-odd`;
    const [, , write] = fileTools({ store: openFileStore(name), undoStore: openFileStore(`${name}-undo`), lang: 'en' });
    for (const [at, content] of ['\uFEFFa', 'a\uD83D', '\uDC4Ba'].entries()) {
      const requestId = `r${String(at)}`;
      const changes = await write!.preview!({ path: '/a', content }, {} as never);
      await write!.execute({ path: '/a', content }, { requestId } as never);
      expect(await openFileStore(name).read(['a'])).to.equal((changes as { after: string }[])[0]?.after);
      await write!.undo!({ requestId } as never, {} as never);
      expect(await openFileStore(name).read(['a'])).to.equal(undefined);
    }
  });
});
