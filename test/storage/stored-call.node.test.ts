/** The record of a call: one row a field, out of which follow its type, what is stored, the check, and what another page asks for again. */
import { cpSync, rmSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { fullConversation } from './sample.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the record of a call', () => {
  describe('with one row more', () => {
    const copy = `${root}node_modules/.cache/one-field-more/`;
    const table = 'src/storage/stored-call.ts';
    const at = (file: string) => pathToFileURL(copy + file).href;

    before(() => {
      rmSync(copy, { recursive: true, force: true });
      for (const name of ['src', 'package.json']) cpSync(root + name, copy + name, { recursive: true });
      const source = readFileSync(root + table, 'utf8');
      const place = '  /** What the service calls it, under `native`. */\n';
      expect(source.split(place)).to.have.length(2);
      writeFileSync(copy + table, source.replace(place, `  /** How the model said it. */\n  tone: optional(name),\n${place}`));
    });
    after(() => {
      rmSync(copy, { recursive: true, force: true });
    });

    it('is kept from the first moment of a call, stored, checked, read, and asked for again with it', async () => {
      const { recordOf } = (await import(
        at('src/conversation/chart/call-records.ts')
      )) as typeof import('../../src/conversation/chart/call-records.js');
      const { createRowMaker, fromRows } = (await import(
        at('src/storage/conversation-rows.ts')
      )) as typeof import('../../src/storage/conversation-rows.js');
      const { toRestore } = (await import(
        at('src/conversation/keeping/restored.ts')
      )) as typeof import('../../src/conversation/keeping/restored.js');

      const request = { requestId: 'c1', toolName: 'act', arguments: { a: 1 }, raw: '<act>', flags: [], protocol: 'vcp', tone: 'kind' };
      const call = recordOf(request, 'a1');
      expect(call).to.have.property('tone', 'kind');

      const { rowsOf } = createRowMaker();
      const sample = fullConversation('one-field-more');
      const rows = rowsOf({ ...sample, calls: [call] });
      expect(rows.calls[0]).to.have.property('tone', 'kind');
      const read = fromRows(rows);
      expect(read.calls[0]).to.have.property('tone', 'kind');
      expect(() => fromRows({ ...rows, calls: [{ ...rows.calls[0]!, tone: 7 }] })).to.throw(/at most/);

      const question = { type: 'ask', requestId: 'c1' } as never;
      const restored = toRestore(
        read,
        { stored: read, questions: [question], settle: [] } as never,
        { texts: {}, dispatch: 'on-turn-end' } as never,
      );
      const [open] = restored?.type === 'restore' ? restored.open : [];
      expect(open?.request).to.deep.equal(request);
    });
  });
});
