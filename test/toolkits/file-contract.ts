/** What every place for files has to do. Runs wherever the place is. */
import { expect } from 'chai';
import type { FileError, FileStore } from '../../src/toolkits/files/file-store.js';

const nothing = () => undefined;

export function describeFileStore(name: string, make: () => FileStore): void {
  describe(`files in ${name}`, () => {
    let store: FileStore;
    beforeEach(() => (store = make()));

    it('are there as they were written, and what is not there is nothing', async () => {
      for (const [file, content] of [
        ['a.txt', 'Hello'],
        ['empty', ''],
        ['__proto__', 'an ordinary name'],
        ['文件.txt', '你好 👋\r\n\u0000 end'],
        ['marked.csv', '\uFEFFa;b'],
      ] as const) {
        await store.write([file], content);
        expect(await store.read([file]), file).to.equal(content);
      }
      expect(await store.read(['b.txt'])).to.equal(undefined);
      expect(await store.read(['no', 'such', 'file'])).to.equal(undefined);
      expect(await store.list(['no'])).to.equal(undefined);
      expect(await store.list(['a.txt'])).to.equal(undefined);
    });

    it('stand in directories that come and go with them', async () => {
      expect(await store.list([])).to.deep.equal([]);
      await store.write(['notes', 'deep', 'b.txt'], 'b');
      await store.write(['notes', 'a.txt'], 'a');
      await store.write(['c.txt'], 'c');
      expect(await store.list([])).to.deep.equal([
        { name: 'c.txt', kind: 'file' },
        { name: 'notes', kind: 'directory' },
      ]);
      expect((await store.list(['notes']))?.map(({ name: entry }) => entry)).to.deep.equal(['a.txt', 'deep']);
      await store.remove(['notes', 'deep', 'b.txt']);
      expect((await store.list(['notes']))?.map(({ name: entry }) => entry)).to.deep.equal(['a.txt']);
      await store.remove(['notes', 'a.txt']);
      expect(await store.list(['notes'])).to.equal(undefined);
      await store.remove(['notes', 'a.txt']);
    });

    it('take no place of a directory, and none below a file', async () => {
      await store.write(['undefined'], 'no root');
      expect(await store.read([])).to.equal(undefined);
      await store.write(['a', 'b'], 'x');
      const problemOf = (work: Promise<void>) => work.then(nothing, (error: unknown) => (error as FileError).problem);
      expect(await problemOf(store.write([], 'y'))).to.equal('directory');
      expect(await problemOf(store.write(['a'], 'y'))).to.equal('directory');
      expect(await problemOf(store.write(['a', 'b', 'c'], 'y'))).to.equal('file');
      expect(await store.read(['a', 'b'])).to.equal('x');
    });

    it('tell of each change, once, and of none to who has stopped listening', async () => {
      let heard = 0;
      const stop = store.listen(() => (heard += 1));
      await store.write(['a'], '1');
      await store.write(['a'], '2');
      await store.remove(['a']);
      expect(heard).to.equal(3);
      stop();
      await store.write(['a'], '3');
      expect(heard).to.equal(3);
    });

    it('are written one after the other: the last word stays', async () => {
      await Promise.all(Array.from({ length: 20 }, (_, at) => store.write(['a'], String(at))));
      expect(await store.read(['a'])).to.equal('19');
    });
  });
}
