import { expect } from 'chai';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { chooseWire } from '../../src/transports/choose-wire.js';
import type { Wire } from '../../src/transports/wire.js';
import addresses from '../fixtures/turns/addresses.json' with { type: 'json' };

const url = (path: string) => new URL(path, 'https://x.example');
const mine: Wire = {
  id: 'mine',
  fits: ({ pathname }) => pathname === '/mine',
  request: (_turn, endpoint) => ({ url: endpoint, headers: {}, body: null }),
  createReader: () => ({ push() {}, end() {} }),
};

describe('choosing a wire', () => {
  it('loads every built-in wire under its own id', async () => {
    for (const { id, load } of builtInWires) expect((await load()).id).to.equal(id);
  });

  for (const [path, id] of addresses as [string, string][])
    it(`takes ${id} for ${path} when it is automatic`, async () => expect((await chooseWire('auto', url(path), [mine])).id).to.equal(id));

  it('takes what it is told, the host’s own first, and is automatic for an id that nobody knows', async () => {
    expect((await chooseWire('cutie', url('/v1/chat/completions'))).id).to.equal('cutie');
    const own: Wire = { ...mine, id: 'openai' };
    expect(await chooseWire('openai', url('/'), [own])).to.equal(own);
    expect((await chooseWire('constructor', url('/'))).id).to.equal('cutie');
  });
});
