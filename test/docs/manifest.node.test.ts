/** The manifest under the tag that pages use. */
import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { optionRows } from '../../.config/option-rows.mjs';
import { panelParts } from '../../src/elements/parts.js';

interface Named {
  name: string;
  description?: string;
}
interface Declaration extends Named {
  tagName?: string;
  members: (Named & { kind: string })[];
  attributes: Named[];
  events: (Named & { type?: { text: string } })[];
  cssStates: Named[];
  slots: Named[];
  cssParts: Named[];
  cssProperties: (Named & { default?: string })[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}custom-elements.json`, 'utf8')) as { modules: { declarations: Declaration[] }[] };
const chat = manifest.modules.flatMap(({ declarations }) => declarations).find(({ tagName }) => tagName === 'tool-chat') as Declaration;
const names = (list: readonly Named[]) => list.map(({ name }) => name);

describe('the manifest under <tool-chat>', () => {
  it('lists every part that reaches the page, each with what it is', () => {
    expect(names(chat.cssParts)).to.include.members([...panelParts, 'launcher']);
    expect(chat.cssParts.filter(({ description }) => !description)).to.deep.equal([]);
  });

  it('lists every custom property that a style reads', () => {
    const read = new Set<string>();
    for (const file of readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.ts'))
        for (const [, name = ''] of readFileSync(`${root}src/${file}`, 'utf8').matchAll(/var\(\s*(--tool-chat-[\w-]+)/g)) read.add(name);
    expect(names(chat.cssProperties)).to.have.members([...read]);
  });

  it('describes every member, attribute, event, slot and state, and types every event', () => {
    const { attributes, events, slots, cssParts, cssProperties, cssStates } = chat;
    const all = [chat.members, attributes, events, slots, cssParts, cssProperties, cssStates].flat();
    expect(all.length).to.be.above(180);
    expect(names(all.filter(({ description = '' }) => description.length < 12))).to.deep.equal([]);
    expect(names(chat.members)).to.include('logger');
    expect(names(events.filter(({ type }) => !type?.text.includes('ToolChatEventMap')))).to.deep.equal([]);
  });

  it('lists the properties that no attribute can hold, each with what it is for', () => {
    const fields = chat.members.filter(({ kind }) => kind === 'field');
    expect(names(fields)).to.include.members(['context', 'headers', 'beforeSend', 'texts', 'suggest', 'textRules', 'privateValues']);
    for (const { name, description } of optionRows()) expect(description, name).to.match(/\w/);
  });
});
