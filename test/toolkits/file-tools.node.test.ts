import { expect } from 'chai';
import { ToolError } from '../../src/base/errors.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { fileTools, memoryFileStore } from '../../src/toolkits/index.js';
import { checkTools } from '../../src/testing/index.js';
import { describeFileStore } from './file-contract.js';

describeFileStore('memory', memoryFileStore);

function toolbox(store = memoryFileStore(), lang = 'en') {
  const tools = fileTools({ store, undoStore: memoryFileStore(), lang, maxFileChars: 1000 });
  const [list, read, write] = tools as [ToolDefinition, ToolDefinition, ToolDefinition];
  const context = (requestId = 'call_1') => ({ requestId, signal: new AbortController().signal }) as ToolContext;
  const said = (work: unknown) =>
    Promise.resolve(work).then(
      () => 'nothing',
      (error: unknown) => (error instanceof ToolError ? error.message : `no ToolError: ${String(error)}`),
    );
  return {
    ...{ tools, store, list, read, write, said },
    run: async (tool: ToolDefinition, args: object, id?: string) => tool.execute({ ...args }, context(id)),
    undo: (id: string) => write.undo!({ requestId: id } as never, context(id)),
    context,
  };
}

describe('fileTools()', () => {
  it('are three, say what they are and stand up to what tools are tried with (S3-27, S3-28, S3-29)', async () => {
    const { tools } = toolbox();
    const risks = tools.map(({ name, risk, untrusted }) => `${name} ${String(risk)} ${String(untrusted)}`);
    expect(risks).to.deep.equal(['list_directory query undefined', 'read_file query true', 'write_file write undefined']);
    expect((await checkTools(tools as never, { seed: 3, run: 'all' })).findings).to.deep.equal([]);
  });

  it('list names and kinds; a directory that is missing is an error in a sentence (S3-27)', async () => {
    const { run, list, store, said } = toolbox();
    await store.write(['notes', 'a.txt'], 'a');
    expect(await run(list, { path: '/' })).to.deep.equal({ path: '/', entries: [{ name: 'notes', kind: 'directory' }] });
    expect(await run(list, { path: 'notes/' })).to.deep.equal({ path: '/notes', entries: [{ name: 'a.txt', kind: 'file' }] });
    expect(await said(run(list, { path: '/gone' }))).to.equal('There is no directory “/gone”.');
  });

  it('read what is there, to the last character; an empty file is empty, a missing one an error (S3-28)', async () => {
    const { run, read, store, said } = toolbox();
    await store.write(['a'], ' x\r\n\u202E"'.repeat(3));
    await store.write(['empty'], '');
    expect(await run(read, { path: '/a' })).to.deep.equal({ path: '/a', content: ' x\r\n\u202E"'.repeat(3) });
    expect(await run(read, { path: '/empty' })).to.deep.equal({ path: '/empty', content: '' });
    expect(await said(run(read, { path: '/gone' }))).to.equal('There is no file “/gone”.');
  });

  it('write, show before what becomes of it, and say which file it is (S3-29)', async () => {
    const { run, write, store, context } = toolbox();
    const args = { path: 'notes/../notes/a.txt', content: 'new' };
    expect(await write.describeCall!(args, context())).to.equal('Write the new file “/notes/a.txt”');
    expect(await write.preview!(args, context())).to.deep.equal([{ label: '/notes/a.txt', after: 'new' }]);
    expect(await run(write, args)).to.deep.include({ message: '“/notes/a.txt” is written' });
    expect(await store.read(['notes', 'a.txt'])).to.equal('new');
    const again = { path: '/notes/a.txt', content: 'newer' };
    expect(await write.describeCall!(again, context())).to.equal('Write over the file “/notes/a.txt”');
    expect(await write.preview!(again, context())).to.deep.equal([{ label: '/notes/a.txt', before: 'new', after: 'newer' }]);
  });

  it('take a write back to what was there, in turn, and not over the head of somebody who changed it since (S3-29)', async () => {
    const { run, write, store, undo, said } = toolbox();
    await run(write, { path: '/a', content: '1' }, 'one');
    await run(write, { path: '/a', content: '2' }, 'two');
    await undo('two');
    expect(await store.read(['a'])).to.equal('1');
    await undo('one');
    expect(await store.read(['a'])).to.equal(undefined);
    await run(write, { path: '/a', content: '3' }, 'three');
    await store.write(['a'], 'by hand');
    expect(await said(undo('three'))).to.equal('“/a” has been changed since. Nothing was undone.');
    expect(await store.read(['a'])).to.equal('by hand');
    expect(await said(undo('never'))).to.equal('What was there before is not known any more.');
  });

  it('refuse a path outside of the root, a directory, and too much, in the reader’s language, and touch nothing (S3-29)', async () => {
    const { run, write, read, list, store, said } = toolbox();
    await store.write(['d', 'x'], 'x');
    const outside = '“../etc/passwd” leads out of the files that there are. Nothing was done.';
    for (const tool of [write, read, list]) expect(await said(run(tool, { path: '../etc/passwd', content: '' }))).to.equal(outside);
    const refusals: [path: string, words: string, content?: string][] = [
      ['/a%2fb', 'holds a name that no file can have'],
      ['/d', '“/d” is a directory, not a file.'],
      ['/', '“/” is a directory, not a file.'],
      ['/d/x/y', 'a part of it is a file'],
      ['/a', '1000 characters', 'x'.repeat(1001)],
    ];
    for (const [path, words, content = ''] of refusals) expect(await said(run(write, { path, content }))).to.include(words);
    expect(await store.list([])).to.deep.equal([{ name: 'd', kind: 'directory' }]);
    const zh = toolbox(memoryFileStore(), 'zh-CN');
    expect(await zh.said(zh.run(zh.read, { path: '../x' }))).to.equal('“../x”超出了可用的文件范围。没有执行任何操作。');
  });

  it('say so when there is no more room, or the files cannot be reached', async () => {
    const store = memoryFileStore();
    const { run, write, undo, said } = toolbox(store);
    for (const content of ['1', '2']) await run(write, { path: '/a', content }, content);
    store.write = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    expect(await said(run(write, { path: '/b', content: 'x' }))).to.include('no more room');
    expect(await said(undo('2'))).to.include('no more room');
    store.read = () => Promise.reject(new DOMException('no', 'SecurityError'));
    expect(await said(undo('2'))).to.include('did not let this page reach its files');
    expect(await said(run(write, { path: '/a', content: '3' }, '3'))).to.include('did not let this page reach its files');
  });
});
