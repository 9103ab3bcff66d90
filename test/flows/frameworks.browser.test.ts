/**
 * Frameworks set what a component has, and `undefined` or `null` while it has nothing: every public property takes them, in React and in Vue,
 * and neither the page's tree nor the widget is lost. A setter that throws unmounts the whole tree in React.
 */
import { expect } from '@open-wc/testing';
import { createElement, type ElementType } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { createApp, h, nextTick, shallowRef } from 'vue';
import { elementTable, settingsTable, type Option } from '../../src/conversation/options/option-table.js';
import type { ToolChat as ToolChatElement } from '../../src/elements/tool-chat/tool-chat.js';
import { ToolChat } from '../../src/react.js';

/** What a page would set; a choice takes its last, a text `x`. */
const samples: Record<string, unknown> = {
  ...{ endpoint: '/api/ai/chat/stream', storage: 'session', mcp: '', sandboxUrl: '', lang: 'de', headers: { 'x-a': 'b' }, wire: 'openai' },
  ...{ config: { heading: 'Helper', approval: 'always' }, decide: () => 'ask', plugins: [], temperature: 1, contextSize: 4096 },
  ...{ logger: { debug() {}, info() {}, warn() {}, error() {} }, models: 'a b', quickCommands: 'One|Two', preset: 'cutie-xml' },
  ...{ texts: { send: 'Off' }, textRules: [], privateValues: [], confirmKeywords: ['yes'], suggest: () => [], inspect: 'off' },
  ...{ fetch: () => Promise.reject(new Error('No network here.')), beforeSend: <T>(request: T) => request, embed: () => [1], open: true },
};

const table: Record<string, Option<unknown>> = { ...settingsTable, ...elementTable };
const sampleOf = (name: string): unknown => {
  const { values, initial } = table[name] ?? {};
  return samples[name] ?? values?.at(-1) ?? (typeof initial === 'string' ? 'x' : (initial ?? {}));
};
const properties = [...Object.keys(table), 'config', 'decide', 'logger'].filter((name) => name !== 'protocolIds');

/** What a component of a page hands over, one after the other. */
const wholes: [string, unknown][] = [
  ['every field undefined', Object.fromEntries(properties.map((name) => [name, undefined]))],
  ['every field null', Object.fromEntries(properties.map((name) => [name, null]))],
  ['a text', 'heading'],
  ['a number', 5],
  ['nothing', null],
];

interface Mounted {
  /** Renders the page with these properties; gives what went wrong. */
  set(props: object): Promise<unknown[]>;
  readonly box: HTMLElement;
  unmount(): void;
}

function inReact(component: ElementType): () => Mounted {
  return () => {
    const box = document.body.appendChild(document.createElement('div'));
    const errors: unknown[] = [];
    const root = createRoot(box, { onUncaughtError: (error) => void errors.push(error) });
    return {
      box,
      set(props) {
        flushSync(() => root.render(createElement('main', null, createElement('h1', null, 'The page'), createElement(component, props))));
        return Promise.resolve(errors.splice(0));
      },
      unmount() {
        root.unmount();
        box.remove();
      },
    };
  };
}

function inVue(): Mounted {
  const box = document.body.appendChild(document.createElement('div'));
  const errors: unknown[] = [];
  const now = shallowRef<object>({});
  const app = createApp({ render: () => h('main', [h('h1', 'The page'), h('tool-chat', now.value)]) });
  app.config.errorHandler = (error) => void errors.push(error);
  app.config.warnHandler = (message) => void errors.push(message);
  app.config.compilerOptions.isCustomElement = (tag) => tag === 'tool-chat';
  app.mount(box);
  return {
    box,
    async set(props) {
      // A name that begins with `on` is a listener's, unless the page says that it is not.
      now.value = Object.fromEntries(Object.entries(props).map(([name, value]) => [name.replace(/^(?=on[A-Z])/, '.'), value]));
      await nextTick();
      return errors.splice(0);
    },
    unmount() {
      app.unmount();
      box.remove();
    },
  };
}

const frameworks: [string, () => Mounted][] = [
  ['React, by the component', inReact(ToolChat)],
  ['React, by the tag', inReact('tool-chat')],
  ['Vue, by the tag', inVue],
];

const silenced = ['warn', 'error'] as const;

describe('a framework that sets, unsets and forgets properties', function () {
  this.timeout(30_000);
  const real = silenced.map((level) => console[level]);
  before(() => silenced.forEach((level) => (console[level] = () => {})));
  after(() => silenced.forEach((level, at) => (console[level] = real[at]!)));

  for (const [name, mount] of frameworks)
    it(`keeps page and widget: ${name}`, async () => {
      const page = mount();
      try {
        expect(await page.set({ heading: 'Chat' })).to.deep.equal([]);
        const chat = page.box.querySelector('tool-chat') as ToolChatElement;
        await Promise.resolve(chat.revoke('none'));
        const wrong: string[] = [];
        async function step(what: string, props: object) {
          const errors = await page.set(props);
          const isHere = page.box.querySelector('h1')?.textContent === 'The page' && page.box.querySelector('tool-chat') === chat;
          if (errors.length > 0 || !isHere) wrong.push(`${what}: ${errors.map(String).join('; ') || 'the page is gone'}`);
        }
        for (const property of properties)
          for (const [what, value] of [
            ['set', sampleOf(property)],
            ['undefined', undefined],
            ['set again', sampleOf(property)],
            ['null', null],
            ['null again', null],
          ])
            await step(`${property} ${String(what)}`, { [property]: value });
        await step('all of them', Object.fromEntries(properties.map((property) => [property, sampleOf(property)])));
        await step('none of them', {});
        for (const [what, config] of wholes) await step(`config: ${what}`, { config });
        expect(wrong).to.deep.equal([]);

        // It is what it is when nobody sets anything, and answers.
        await step('a heading', { heading: 'Alive' });
        await Promise.resolve(chat.revoke('none'));
        const panel = chat.shadowRoot?.querySelector('tool-chat-panel');
        await panel?.updateComplete;
        expect(chat).to.include({ layout: 'inline', theme: 'auto', endpoint: '', approval: 'by-risk', maxTokens: 2000 });
        expect(panel?.shadowRoot?.querySelector('[part=header]')?.textContent).to.contain('Alive');
        expect(panel?.shadowRoot?.querySelector('tool-chat-composer')?.shadowRoot?.querySelector('textarea')).to.be.an.instanceOf(Element);
      } finally {
        page.unmount();
      }
    });

  it('takes the first `decide`, and no other', async () => {
    const page = inReact('tool-chat')();
    const first = () => 'ask' as const;
    await page.set({ decide: first });
    const chat = page.box.querySelector('tool-chat') as ToolChatElement;
    for (const decide of [() => 'allow' as const, null, undefined, first]) {
      expect(await page.set({ decide })).to.deep.equal([]);
      expect(chat.decide).to.equal(first);
    }
    page.unmount();
  });

  it('would lose the page by a setter that throws', async () => {
    customElements.define(
      'throwing-tag',
      class extends HTMLElement {
        set config(_: unknown) {
          throw new Error('No.');
        }
      },
    );
    const page = inReact('throwing-tag' as ElementType)();
    expect((await page.set({ config: 5 })).map(String)).to.deep.equal(['Error: No.']);
    expect(page.box.querySelector('h1')).to.equal(null);
    page.unmount();
  });
});
