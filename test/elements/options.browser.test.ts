/** The options of `<tool-chat>`: set at any time and in any way, below what the page sets itself, and in force from the next turn on. */
import { expect } from '@open-wc/testing';
import { attributeOf, elementTable, settingsTable, type Option } from '../../src/conversation/options/option-table.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { warnOfPage } from '../../src/elements/page-warnings.js';
import { vcp } from '../../src/protocols/vcp.js';
import { appears, deepText, fieldOf, find, frame, part, until, words } from './looking.js';
import { call, chatOnPage, chatWith, listening, tool, untilTalking } from './tool-chat-stage.js';

const table: Readonly<Record<string, Option<unknown>>> = { ...settingsTable, ...elementTable };

/** A value that is not the default, and one that does not fit. */
const SAMPLES: Record<string, readonly [other: unknown, unfit?: unknown]> = {
  open: [true],
  temperature: [0.5, '3'],
  layout: ['sidebar', 'Floating'],
  texts: [{ placeholder: 'Ask away' }, '{}'],
  suggest: [() => [], 'x'],
  textRules: [[], 'x'],
  plugins: [[], 'x'],
  confirmKeywords: [['go'], 'go'],
  privateValues: [['email']],
  mcp: [''],
};

const ROWS = Object.entries(table).map(([property, { attribute, values, initial, digits, derive }]) => {
  const [other, unfit] =
    SAMPLES[property] ??
    (attribute === 'none'
      ? [{ some: 'thing' }, '{"some":"secret"}']
      : values
        ? [values.find((one) => one !== (initial ?? derive?.(() => undefined)))!, 'none of them']
        : digits
          ? [77, '1e3']
          : ['/elsewhere']);
  // What follows from other options, or is another's, is not known from the row.
  const fallback = attribute === 'none' ? undefined : (initial ?? derive?.((name) => table[name]?.initial));
  return { property, attribute: attributeOf(property), isObject: attribute === 'none', other, unfit, fallback };
});

const any = (chat: object) => chat as Record<string, unknown>;
const pick = (from: object, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, any(from)[name]]));
const others = Object.fromEntries(ROWS.map(({ property, other }) => [property, other]));
const early = () => document.implementation.createHTMLDocument().createElement('tool-chat');

/** On the page until the end of the test. */
let placed: Element[] = [];
const place = <Kind extends Element>(chat: Kind): Kind => {
  placed.push(chat);
  document.body.append(chat);
  return chat;
};

describe('options of <tool-chat>', () => {
  afterEach(() => {
    for (const chat of placed) chat.remove();
    placed = [];
  });

  for (const { property, attribute, isObject, other, unfit, fallback } of ROWS)
    it(`has ${property} on its prototype, by attribute, property and \`config\`, and unsets it by undefined and null`, async () => {
      const fresh = document.createElement('tool-chat');
      expect([property in fresh, Object.hasOwn(fresh, property)]).to.deep.equal([true, false]);
      const chat = await chatOnPage();
      for (const name of ['theme', 'lang']) chat.removeAttribute(name);
      const now = () => [any(chat)[property], chat.config[property]];
      for (const one of [fresh, chat]) {
        const start = one === fresh ? (property === 'open' ? false : undefined) : fallback;
        const ways: Record<string, [set: () => void, unset: () => void]> = {
          property: [() => (any(one)[property] = other), () => (any(one)[property] = undefined)],
          null: [() => (any(one)[property] = other), () => (any(one)[property] = null)],
          config: [() => (one.config = { [property]: other }), () => (one.config = { [property]: undefined })],
          'no config': [() => (one.config = { [property]: other }), () => (one.config = null)],
          ...(!isObject && { attribute: [() => one.setAttribute(attribute, String(other)), () => one.removeAttribute(attribute)] }),
        };
        for (const [way, [set, unset]] of Object.entries(ways)) {
          expect(any(one)[property], `${way}, before`).to.equal(start);
          const markup = one.outerHTML;
          set();
          // Until the engine is there a text is as it was written.
          expect(String(any(one)[property]), way).to.equal(String(other === true && way === 'attribute' ? true : other));
          expect(String(one.config[property]), `${way}, config`).to.equal(String(other));
          if (way !== 'attribute') expect(one.outerHTML, `${way}: its markup is the page’s`).to.equal(markup);
          unset();
        }
        expect([any(one)[property], Boolean(one.outerHTML.match(/undefined|null/))]).to.deep.equal([start, false]);
      }
      if (unfit === undefined) return;
      for (const set of [() => chat.setAttribute(attribute, unfit as string), () => (chat.config = { [property]: unfit })]) {
        const warnings = await listening(async () => {
          set();
          expect(now()).to.deep.equal([fallback, fallback]);
          chat.heading = `Another option ${String(Math.random())}`;
          await frame();
        });
        chat.removeAttribute(attribute);
        chat.config = null;
        expect(warnings.join())
          .to.contain(`[tool-chat] Invalid ${isObject ? property : attribute}`)
          .and.not.contain('secret');
        expect(warnings).to.have.length(1);
      }
    });

  it('takes all from markup, from properties before the tag was known, and from `config`', async () => {
    const { layout, open, mcp, storage, endpoint, memory, ...rest } = others;
    const texts = Object.entries(rest).filter(([, value]) => typeof value !== 'object' && typeof value !== 'function');
    const markup = await chatOnPage(Object.fromEntries(texts.map(([name, value]) => [attributeOf(name), String(value)])));
    const unknown = Object.assign(early(), Object.fromEntries(texts));
    expect('sendMessage' in unknown).to.equal(false);
    await untilTalking(place(unknown as ToolChat));
    const before = Object.assign(document.createElement('tool-chat'), { config: Object.fromEntries(texts) });
    await untilTalking(place(before));
    const names = texts.map(([name]) => name);
    for (const chat of [markup, unknown as ToolChat, before])
      expect([pick(chat, names), pick(chat.config, names)]).to.deep.equal([Object.fromEntries(texts), Object.fromEntries(texts)]);
  });

  it('reads back before the engine what was set and no more, so that a page that spreads `config` keeps its preset', async () => {
    const chat = document.createElement('tool-chat');
    chat.setAttribute('preset', 'semi-auto');
    chat.config = { ...chat.config, heading: 'Shop' };
    expect(chat.config).to.deep.equal({ preset: 'semi-auto', heading: 'Shop' });
    await untilTalking(place(chat));
    expect([chat.approval, chat.protocol, chat.heading]).to.deep.equal(['user-run', 'json-tool-calls', 'Shop']);
  });

  it('takes what frameworks write for what is not open', async () => {
    const chat = await chatOnPage({ layout: 'floating' });
    for (const [said, isOpen] of Object.entries({ false: false, undefined: false, null: false, '': true, true: true, open: true })) {
      chat.setAttribute('open', said);
      expect([chat.open, chat.matches(':state(open)')], said).to.deep.equal([isOpen, isOpen]);
    }
  });

  it('takes the last of attribute and property, before `config`, before the default', async () => {
    const chat = await chatOnPage();
    chat.config = { onDeny: 'stop', model: 'of config', maxTokens: 10 };
    expect([chat.onDeny, chat.model, chat.maxTokens, chat.repeatLimit]).to.deep.equal(['stop', 'of config', 10, 3]);
    for (const [attribute, property, one, other, ofConfig] of [
      ['on-deny', 'onDeny', 'feed-back', 'stop', 'stop'],
      ['model', 'model', 'one', 'other', 'of config'],
    ] as const) {
      chat.setAttribute(attribute, one);
      expect(any(chat)[property]).to.equal(one);
      any(chat)[property] = other;
      expect(any(chat)[property]).to.equal(other);
      chat.setAttribute(attribute, one); // no change of the attribute, and still the last word
      expect([any(chat)[property], chat.config[property]]).to.deep.equal([one, one]);
      chat.setAttribute(attribute, other);
      any(chat)[property] = one; // before anybody has looked at the attribute
      expect(chat.config[property]).to.equal(one);
      chat.removeAttribute(attribute);
      expect(any(chat)[property]).to.equal(ofConfig);
    }
    chat.config = {};
    expect([chat.model, chat.maxTokens, chat.onDeny]).to.deep.equal(['', 2000, 'feed-back']);
  });

  it('D83 honours properties that were set before the tag was known, also where the markup says something else', () => {
    const unknown = early();
    for (const name of ['endpoint', 'theme']) unknown.setAttribute(name, 'light');
    const set = { endpoint: '/script', theme: 'dark', layout: 'floating', open: true, systemPrompt: 'Set early.', maxTokens: 7 } as const;
    Object.assign(unknown, set, { decide: () => 'allow', config: { model: 'm' } });
    expect(unknown instanceof HTMLElement && 'sendMessage' in unknown).to.equal(false);
    const chat = place(unknown) as ToolChat;
    expect(pick(chat, Object.keys(set))).to.deep.equal(set);
    expect([chat.model, typeof chat.decide, Object.hasOwn(chat, 'endpoint')]).to.deep.equal(['m', 'function', false]);
    expect([chat.matches(':state(floating):state(open):state(dark)'), chat.getAttributeNames()]).to.deep.equal([
      true,
      ['endpoint', 'theme'],
    ]);
  });

  it('warns once of a key in an attribute, without the key, and not of options that only sound like one', async () => {
    const said = await listening(() => chatOnPage({ 'api-key': 'sk-verysecret', endpoint: '/api/ai/chat/stream' }));
    expect(said.filter((line) => line.includes('api-key'))).to.have.length(1);
    expect(said.join()).to.not.contain('sk-verysecret');
    const chat = document.createElement('tool-chat');
    for (const name of ['token-budget', 'max-tokens']) chat.setAttribute(name, '100');
    expect(await listening(() => warnOfPage(chat, 'http://example.org/chat'))).to.deep.equal([]);
  });
});

describe('what options change', () => {
  it('D82 is in force from the next turn on (X-02)', async () => {
    const attributes = { 'system-prompt': 'First prompt.', 'max-tokens': '111', model: 'm-1' };
    const { chat, model } = await chatWith([tool('add', { risk: 'query' })], attributes);
    const turn = chat.sendMessage('Go');
    const first = await model.next();
    Object.assign(chat, { systemPrompt: 'Second prompt.', maxTokens: 222, promptInjection: 'off' });
    chat.setAttribute('model', 'm-2');
    first.send(call('add', { title: 'milk' }));
    first.done();
    await model.reply('Done.');
    await turn;
    await model.turn('Again', 'Hi.');
    chat.setAttribute('prompt-injection', 'relay');
    await model.turn('And again', 'Hi.');
    const bodies = model.requests.map(({ body }) => body);
    const seen = bodies.map(({ system, max_tokens, model: named }) =>
      [system.includes('First prompt.'), system.includes('<invoke name='), max_tokens, named].join(),
    );
    const [before, after] = ['true,true,111,m-1', 'false,false,222,m-2'];
    expect(seen).to.deep.equal([before, before, after, after]);
    expect(bodies[3]?.['config']).to.deep.include({ enabledTools: ['add'], toolParadigm: 'xml-invoke' });
  });

  it('the gate of a page, which is set once, before the first turn; a later one is ignored, with a warning', async () => {
    const act = tool('act');
    const { chat, model } = await chatWith([act]);
    chat.decide = () => 'allow';
    const said = await listening(() => (chat.decide = () => 'deny'));
    await model.turn('Act', call('act', { title: 'x' }), '');
    expect(act.ran).to.deep.equal([{ title: 'x' }]);
    const late = (await chatWith([])).chat;
    void late.sendMessage('Hi');
    said.push(...(await listening(() => (late.decide = () => 'allow'))));
    expect(said.filter((line) => line.includes('once, before the first turn'))).to.have.length(2);
    expect(late.decide).to.equal(undefined);
  });
});

describe('preset', () => {
  /** Glossary §3: what each seed decided. */
  const [[, ...settings], ...seeds] = `
    preset       protocol        parseMode dispatch    afterCall   callsPerTurn  execution   approval resultRole    coercion maxIterations tools promptInjection orchestration memory  planning  onBrokenCall confirmVia
    cutie-xml    xml-invoke      stream    on-block    continue    one           serial      auto     user-envelope pattern  5             on    client          client        full    off       skip         buttons
    json-block   json-action     stream    on-turn-end stop-stream one           serial      by-risk  user-envelope none     5             on    client          client        full    off       report       buttons
    aio-vcp      vcp             complete  on-turn-end continue    many          serial      auto     tool          none     5             off   client          client        full    off       report       buttons
    semi-auto    json-tool-calls complete  on-turn-end continue    many          serial      user-run user-envelope none     5             on    relay           client        full    off       report       buttons
    orchestrated xml-invoke      complete  on-turn-end stop-stream confirm-chain by-resource by-risk  tool          schema   20            on    client          relay-gated   layered threshold repair       both
    balanced     xml-invoke      stream    on-turn-end continue    many          serial      by-risk  user-envelope schema   5             on    client          client        window  off       repair       buttons`
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/)) as [string[], ...string[][]];
  for (const [preset, ...decided] of seeds)
    it(`\`${String(preset)}\` is its seed’s column of the table (X-18)`, async () => {
      const { config } = await chatOnPage({ preset: String(preset) });
      expect(Object.values(pick(config, settings)).map(String)).to.deep.equal(decided);
    });

  it('is read back in the options that it sets, gives way to single ones, and stays where one is set to nothing', async () => {
    const chat = await chatOnPage({ preset: 'aio-vcp' });
    expect([chat.protocol, chat.approval, chat.parseMode, chat.tools]).to.deep.equal(['vcp', 'auto', 'complete', 'off']);
    chat.setAttribute('protocol', 'tool-code');
    chat.config = { approval: 'always', toolCallConfig: { enabled: true } };
    expect([chat.protocol, chat.approval, chat.tools]).to.deep.equal(['tool-code', 'always', 'on']);
    chat.preset = 'orchestrated';
    chat.setAttribute('protocol', '');
    chat.maxIterations = 0;
    expect([chat.protocol, chat.maxIterations]).to.deep.equal(['xml-invoke', 20]);
    chat.preset = 'semi-auto';
    expect([chat.protocol, chat.maxIterations]).to.deep.equal(['json-tool-calls', 5]);
  });

  it('and single options beside `toolCallConfig` in one `config` give way to it, also where it was read back; what is set itself does not', async () => {
    const chat = await chatOnPage();
    chat.config = { ...chat.config, toolCallConfig: { enabled: false, maxIterations: 2, parallelExecution: true } };
    expect([chat.tools, chat.maxIterations, chat.execution]).to.deep.equal(['off', 2, 'parallel']);
    expect(chat.config).to.include({ tools: 'off', maxIterations: 2, execution: 'parallel' });
    Object.assign(chat, { tools: 'on', execution: 'serial' });
    chat.config = { ...chat.config, toolCallConfig: { enabled: false, mode: 'manual', parallelExecution: true } };
    expect([chat.tools, chat.execution, chat.approval]).to.deep.equal(['on', 'serial', 'user-run']);
  });

  it('approves in the words of its seed', async () => {
    for (const [preset, word] of [
      ['aio-vcp', '批准'],
      ['balanced', '允许'],
    ] as const) {
      const attributes = { preset, lang: 'zh-CN', endpoint: '/x', approval: 'always', protocol: 'vcp', tools: 'on' };
      const { chat, model } = await chatWith([tool('erase', { risk: 'danger' })], attributes);
      const { turn } = await model.begin('go', vcp.writeCall!('erase', {}));
      const button = await appears(chat, part('approve-button'));
      await until(() => words(button) === word, word);
      chat.cancelStream();
      await turn;
    }
  });
});

describe('texts of a page', () => {
  const textsOf = (chat: Element) => (find(chat, 'tool-chat-panel') as ToolChatPanel).texts!;
  const places = (chat: Element, text: string) => until(() => fieldOf(chat).placeholder === text, text);

  it('stand in place of the catalogue’s, whenever they are set, in any language, and go when they are taken away', async () => {
    const chat = await chatOnPage();
    const before = fieldOf(chat).placeholder;
    chat.texts = { placeholder: 'Ask our gardeners' };
    await places(chat, 'Ask our gardeners');
    expect(chat.config['texts']).to.deep.equal({ placeholder: 'Ask our gardeners' });
    chat.texts = undefined;
    await places(chat, before);
    chat.config = { texts: { placeholder: 'From config' } };
    await places(chat, 'From config');
    chat.setAttribute('lang', 'zh-CN');
    await until(() => find(chat, part('messages'))?.ariaLabel !== 'Messages', 'the language');
    await places(chat, 'From config');
  });

  it('are those of the conversation, too, and so are the catalogue’s where a page has none', async () => {
    const chat = await chatOnPage({ endpoint: '', lang: 'zh-CN' });
    await until(() => textsOf(chat).noEndpoint !== 'No endpoint is set', 'the language');
    await chat.sendMessage('Hi');
    expect(chat.error).to.equal(textsOf(chat).noEndpoint);
    chat.texts = { noEndpoint: 'Nobody listens' };
    await until(() => textsOf(chat).noEndpoint === 'Nobody listens', 'the words');
    await chat.sendMessage('Hi');
    expect(chat.error).to.equal('Nobody listens');
  });

  it('may be sentences with something in them; one that fails is said in the catalogue’s words', async () => {
    const chat = await chatOnPage();
    chat.texts = {
      placeholder: 'Ask our gardeners',
      tryAgainIn: (seconds) => `Wait ${seconds}`,
      lockedNotUsed: 'It did something else' as never,
      retryingIn() {
        throw new Error('a mistake of the page');
      },
    };
    await places(chat, 'Ask our gardeners');
    const { tryAgainIn, lockedNotUsed, retryingIn } = textsOf(chat);
    const said = [tryAgainIn(3), lockedNotUsed('x'), retryingIn(1, 2, 3)];
    expect(said).to.deep.equal(['Wait 3', 'It did something else', 'Retrying in 1 s (2/3)']);
  });

  it('that do not fit are left out, each with one warning', async () => {
    const chat = await chatOnPage();
    const warnings = await listening(async () => {
      chat.texts = { placeholder: 7, noSuchText: 'x', cancel: 'Never mind' } as never;
      await until(() => textsOf(chat).cancel === 'Never mind', 'the words');
      chat.setAttribute('heading', 'Garden');
      await until(() => deepText(find(chat, 'h2')!) === 'Garden', 'the heading');
    });
    expect(warnings.filter((one) => one.includes('texts.')).map((one) => one.replace(/ →.*/, ''))).to.deep.equal([
      '[tool-chat] texts.placeholder (number) does not fit: a string',
      '[tool-chat] texts.noSuchText (string) does not fit: no text of this name',
    ]);
  });
});
