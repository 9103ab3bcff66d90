import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { floors, whyNot } from '../.config/floors.mjs';

const src = '/house/src';
const why = (file: string, specifier: string) => whyNot(src, `${src}/${file}`, specifier);

describe('the floors of the house', () => {
  it('lets a file import from lower floors, from its own folder and from the ground', () => {
    expect(why('relay/relay.ts', '../transports/sse.js')).to.equal(undefined);
    expect(why('protocols/xml-invoke/reader.ts', '../scan.js')).to.equal(undefined);
    expect(why('tools/execute.ts', '../errors.js')).to.equal(undefined);
    expect(why('messages.ts', './calls.js')).to.equal(undefined);
    expect(why('index.ts', './core.js')).to.equal(undefined);
    expect(why('elements/tool-chat/tool-chat.ts', '../define-parts.js')).to.equal(undefined);
  });

  it('refuses what lies higher, beside or outside', () => {
    expect(why('conversation/turn.ts', '../elements/events.js')).to.contain('only lower floors');
    expect(why('protocols/scan.ts', '../tools/tool.js')).to.contain('only lower floors');
    expect(why('errors.ts', './tools/tool.js')).to.contain('only lower floors');
    expect(why('testing/scripted-model.ts', '../index.js')).to.contain('only lower floors');
    expect(why('tools/execute.ts', '../../test/helper.js')).to.contain('leads out');
  });

  it('keeps the relay away from what draws', () => {
    expect(why('relay/relay.ts', '../elements/events.js')).to.contain('"elements"');
    expect(why('relay/relay.ts', 'lit')).to.contain('lit belongs to elements');
  });

  it('keeps Node and the statechart library where they belong', () => {
    expect(why('conversation/turn.ts', 'node:fs')).to.contain('only the relay');
    expect(why('relay/log.ts', 'node:process')).to.equal(undefined);
    expect(why('elements/engine.ts', 'xstate')).to.contain('conversation');
  });

  it('says so when a folder has no floor', () => {
    expect(() => why('attic/box.ts', '../errors.js')).to.throw('give it one');
    const folders = readdirSync(fileURLToPath(new URL('../src', import.meta.url)), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders).to.have.length.above(5);
    for (const { name } of folders) expect(floors, name).to.have.property(name);
  });
});
