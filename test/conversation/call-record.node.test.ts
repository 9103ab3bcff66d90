/** The record of a call: one row a field, out of which follow its type, what is stored, the check, events, cards, and what another page asks for again. */
import { cpSync, rmSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { HostEvent } from '../../src/conversation/chart/hooks.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { fullConversation } from '../storage/sample.js';
import { cutieText, scriptedFetch } from './scripted-fetch.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the record of a call', () => {
  describe('with one row more', () => {
    useSessionStorage();
    const copy = `${root}node_modules/.cache/one-field-more/`;
    const at = (file: string) => pathToFileURL(copy + file).href;
    const insert = (file: string, line: string, before: string) => {
      const source = readFileSync(copy + file, 'utf8');
      expect(source.split(before)).to.have.length(2);
      writeFileSync(copy + file, source.replace(before, `${line}\n${before}`));
    };

    before(() => {
      rmSync(copy, { recursive: true, force: true });
      for (const name of ['src', 'package.json']) cpSync(root + name, copy + name, { recursive: true });
      insert('src/storage/stored-call.ts', '  tone: optional(name),', '  /** What the service calls it, under `native`. */\n');
      insert('src/model/calls.ts', '  mood: optional(name),', "  /** From the tool's `describeCall`. */\n");
      // And who knows it says it.
      insert('src/tools/prepare.ts', "    ...{ mood: 'kind' },", "    reason: '',\n");
    });
    after(() => {
      rmSync(copy, { recursive: true, force: true });
    });

    it('shows it on the card and tells it to the host, stores it, checks it, and has it again after a reload and in another place', async () => {
      const { createConversation } = (await import(
        at('src/conversation/conversation.ts')
      )) as typeof import('../../src/conversation/conversation.js');
      const { internalsOf } = (await import(
        at('src/conversation/host/internals.ts')
      )) as typeof import('../../src/conversation/host/internals.js');
      const { protocols } = (await import(at('src/protocols/index.ts'))) as typeof import('../../src/protocols/index.js');
      const told: HostEvent[] = [];
      const open = (sessionId: string) => {
        const { fetch } = scriptedFetch([cutieText(protocols['xml-invoke']!.writeCall!('act', { a: '1' })), cutieText('Done.')]);
        const chat = createConversation({
          ...{ endpoint: 'http://relay.test/', wire: 'cutie', storage: 'session', sessionId, logLevel: 'off', fetch },
          onEvent: (event) => told.push(event) > 0,
        });
        chat.registerTool({ name: 'act', risk: 'danger', description: 'Acts.', execute: () => 'ok' });
        const { attachPerson, surface, decide } = internalsOf(chat);
        attachPerson();
        return { chat, decide, card: () => Object.values(surface.view.cards)[0] };
      };
      const waits = async (condition: () => unknown) => {
        for (let turns = 0; turns < 2000 && !condition(); turns++) await new Promise((resolve) => setTimeout(resolve, 1));
        expect(condition(), String(condition)).to.be.ok;
      };

      const one = open('one');
      const turn = one.chat.sendMessage('Act');
      await waits(() => one.card()?.status === 'awaiting_approval');
      expect(one.card()!.call).to.have.property('mood', 'kind');
      const asked = told.find((event) => event.type === 'approval-request');
      expect(asked?.calls[0]).to.have.property('mood', 'kind');
      one.decide({ requestId: one.card()!.requestId, digest: one.card()!.call!.digest, verdict: 'allow' });
      await turn;
      const file = await one.chat.exportSession();
      expect(file.calls?.[0]?.call).to.have.property('mood', 'kind');
      one.chat.dispose();

      const again = open('one');
      await waits(() => again.card()?.status === 'success');
      expect(again.card()!.call).to.have.property('mood', 'kind');
      again.chat.dispose();

      const other = open('other');
      const spoilt = JSON.parse(JSON.stringify(file)) as { calls: { call: object }[] };
      Object.assign(spoilt.calls[0]!.call, { mood: 7 });
      const refusal = await other.chat.importSession(spoilt as never).catch((error: Error) => error.message);
      expect(refusal).to.match(/`calls\[0\]\.call\.mood` is a number; expected text/);
      await other.chat.importSession(file);
      expect(other.card()!.call).to.have.property('mood', 'kind');
      other.chat.dispose();
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
