import { expect } from 'chai';
import { whyNot } from '../.config/floors.mjs';

const src = '/house/src';
const why = (file: string, specifier: string) => whyNot(src, `${src}/${file}`, specifier);

describe('the floors of the house', () => {
  it('lets a file import from lower floors and from its own folder', () => {
    expect(why('relay/relay.ts', '../transports/sse.js')).to.equal(undefined);
    expect(why('protocols/xml-invoke/reader.ts', '../scan.js')).to.equal(undefined);
    expect(why('tools/execute.ts', '../base/errors.js')).to.equal(undefined);
    expect(why('model/messages.ts', './calls.js')).to.equal(undefined);
    expect(why('conversation/reply/parsing.ts', '../chart/chart-context.js')).to.equal(undefined);
    expect(why('conversation/conversation.ts', './keeping/keeping.js')).to.equal(undefined);
    expect(why('index.ts', './core.js')).to.equal(undefined);
    expect(why('elements/tool-chat/tool-chat.ts', '../define-parts.js')).to.equal(undefined);
  });

  it('refuses what lies higher, beside or outside', () => {
    expect(why('conversation/chart/turn.ts', '../../elements/events.js')).to.contain('only lower floors');
    expect(why('protocols/scan.ts', '../tools/tool.js')).to.contain('only lower floors');
    expect(why('base/errors.ts', '../tools/tool.js')).to.contain('only lower floors');
    expect(why('testing/hops.ts', '../index.js')).to.contain('only lower floors');
    expect(why('testing/hops.ts', '../scripted-model/index.js')).to.contain('only lower floors');
    expect(why('conversation/chart/turn.ts', '../reply/parsing.js')).to.contain('only lower rooms');
    expect(why('conversation/calls/attempts.ts', '../request/history.js')).to.contain('only lower rooms');
    expect(why('conversation/host/turns.ts', '../conversation.js')).to.contain('only lower rooms');
    expect(why('tools/execute.ts', '../../test/helper.js')).to.contain('leads out');
  });

  it('keeps the relay away from what draws', () => {
    expect(why('relay/relay.ts', '../elements/events.js')).to.contain('"elements"');
    expect(why('relay/relay.ts', 'lit')).to.contain('lit belongs to elements');
    expect(why('tools/schema.ts', 'zod')).to.contain('zod belongs to relay');
  });

  it('keeps Node and the statechart library where they belong', () => {
    expect(why('conversation/chart/turn.ts', 'node:fs')).to.contain('only the relay');
    expect(why('relay/relay-log.ts', 'node:process')).to.equal(undefined);
    expect(why('elements/engine.ts', 'xstate')).to.contain('conversation');
  });

  it('says so when a folder, or a room of the conversation, has none', () => {
    expect(() => why('attic/box.ts', '../base/errors.js')).to.throw('give it one');
    expect(() => why('conversation/cellar/box.ts', '../chart/turn.js')).to.throw('give it one');
  });
});
