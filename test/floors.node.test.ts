import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { conversationRooms, floors, whyNot } from '../.config/floors.mjs';

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

  it('says so when a folder has no floor', () => {
    expect(() => why('attic/box.ts', '../base/errors.js')).to.throw('give it one');
    const folders = readdirSync(fileURLToPath(new URL('../src', import.meta.url)), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders).to.have.length.above(5);
    for (const { name } of folders) expect(floors, name).to.have.property(name);
  });

  it('says so when a room of the conversation has none', () => {
    expect(() => why('conversation/cellar/box.ts', '../chart/turn.js')).to.throw('give it one');
    const rooms = readdirSync(fileURLToPath(new URL('../src/conversation', import.meta.url)), { withFileTypes: true });
    for (const room of rooms) if (room.isDirectory()) expect(conversationRooms.flat()).to.include(room.name);
  });

  it('gives no two files one name, but where they are the same part of different notations and wires', () => {
    const families = /^(testing\/corpus|scripted-model)\/|^protocols\/[\w-]+\/(parser|prompt)\.ts$|(^|\/)index\.ts$/;
    const files = readdirSync(fileURLToPath(new URL('../src', import.meta.url)), { recursive: true, encoding: 'utf8' });
    const own = files.map((file) => file.replaceAll('\\', '/')).filter((file) => file.endsWith('.ts') && !families.test(file));
    const names = own.map((file) => file.slice(file.lastIndexOf('/') + 1));
    expect(names).to.have.length.above(300);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).to.deep.equal([]);
  });

  it('gives no two exports one name, but where they are the same of each language, notation, wire, element or door', () => {
    const same = new Set(['styles', 'finish', 'rules', 'writeCall', 'generateToolDefinitions', 'formatToolResults']);
    const typedForHosts = new Set(['conversationMachine', 'toolCallMachine', 'ToolChat', 'ToolChatTag']);
    const isLanguage = (name: string) => /^[a-z]{2}$/.test(name);
    const files = readdirSync(fileURLToPath(new URL('../src', import.meta.url)), { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.ts') && !/^scripted-model\/(notations|wires)\//.test(file));
    const where = new Map<string, string[]>();
    for (const file of files) {
      const text = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
      const declared = text.matchAll(/^export (?:declare )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm);
      for (const name of new Set(Array.from(declared, ([, name]) => name!))) where.set(name, [...(where.get(name) ?? []), file]);
    }
    expect(where.size).to.be.above(1_500);
    const twice = [...where].filter(([name, at]) => at.length > 1 && !same.has(name) && !typedForHosts.has(name) && !isLanguage(name));
    expect(twice).to.deep.equal([]);
  });
});
