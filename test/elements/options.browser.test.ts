/** The options of `<tool-chat>`: set at any time and in any way, below what the page sets itself, and in force from the next turn on. */
import { expect } from '@open-wc/testing';
import { attributeOf, elementTable, settingsTable, type Option } from '../../src/conversation/options/option-table.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { warnAboutPage } from '../../src/elements/page-warnings.js';
import { deepText, fieldOf, find, frame, part, until } from './looking.js';
import { call, chatOnPage, chatWith, listening, tool, untilTalking } from './tool-chat-stage.js';
import presets from '../fixtures/conversation/presets.json' with { type: 'json' };

const table: Readonly<Record<string, Option<unknown>>> = { ...settingsTable, ...elementTable };

/** A value that is not the default, another that fits, and one that does not. */
const SAMPLES: Record<string, readonly [one: unknown, other: unknown, unfit?: unknown]> = {
  open: [true, false],
  temperature: [0.5, 0.25, '3'],
  layout: ['sidebar', 'inline', 'Floating'],
  texts: [{ placeholder: 'Ask away' }, { placeholder: 'Write' }, '{}'],
  suggest: [() => [], () => ['Go on'], 'x'],
  textRules: [[], [], 'x'],
  plugins: [[], [], 'x'],
  confirmKeywords: [['go'], ['on'], 'go'],
  privateValues: [['email'], ['phone']],
  mcp: ['', ''],
};

const ROWS = Object.entries(table).map(([property, { attribute, values, initial, digits, derive }]) => {
  const isObject = attribute === 'none';
  const start = initial ?? derive?.((name) => table[name]?.initial);
  const first = values?.find((value) => value !== start);
  const [one, other, unfit] =
    SAMPLES[property] ??
    (isObject
      ? [{ some: 'thing' }, { other: 'thing' }, '{"some":"secret"}']
      : values
        ? [first, values.find((value) => value !== first), 'none of them']
        : digits
          ? [77, 78, '1e3']
          : ['/elsewhere', '/there']);
  // Objects are the conversation's to fill in.
  return { property, attribute: attributeOf(property), isObject, one, other, unfit, fallback: isObject ? undefined : start };
});

const any = (chat: object) => chat as Record<string, unknown>;
const pick = (from: object, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, any(from)[name]]));
/** Its tag is not known yet. */
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
    sessionStorage.clear();
  });

  for (const { property, attribute, isObject, one, other, unfit, fallback } of ROWS) {
    const configure = (chat: Element, config: unknown) => void (any(chat)['config'] = config);
    type Way = (chat: Element, value: unknown) => void;
    const ways: Record<string, Way> = {
      property: (chat, value) => void (any(chat)[property] = value),
      config: (chat, value) => configure(chat, { [property]: value }),
      ...(!isObject && {
        attribute: (chat, value) => (value == null ? chat.removeAttribute(attribute) : chat.setAttribute(attribute, String(value))),
      }),
    };
    // Until the engine is there a text is as it was written.
    const plain = (value: unknown) => (value == null ? undefined : isObject ? value : String(value));
    const reads = (chat: Element) => [plain(any(chat)[property]), plain((any(chat)['config'] as object)[property as never])];
    const both = (value: unknown) => [plain(value), plain(value)];

    it(`takes ${property} by ${Object.keys(ways).join(', ')}, before the engine and after; unsets it; the last but config counts`, async () => {
      const fresh = document.createElement('tool-chat');
      expect([property in fresh, Object.hasOwn(fresh, property)], 'src/elements/tool-chat/attributes.ts').to.deep.equal([true, false]);
      const chat = await chatOnPage();
      for (const name of ['theme', 'lang']) chat.removeAttribute(name);
      for (const element of [fresh, chat]) {
        const start = plain(element === chat ? fallback : property === 'open' ? false : undefined);
        for (const [way, give] of Object.entries(ways))
          for (const nothing of [undefined, null]) {
            const when = `${way}, ${element === fresh ? 'no engine yet' : 'with the engine'}`;
            expect(plain(any(element)[property]), `${when}, before`).to.equal(start);
            const markup = element.outerHTML;
            give(element, one);
            expect(reads(element), when).to.deep.equal(both(one));
            if (way !== 'attribute') expect(element.outerHTML, `${when}: its markup is the page’s`).to.equal(markup);
            give(element, nothing);
            expect([plain(any(element)[property]), element.outerHTML], `${when}, unset`).to.deep.equal([start, markup]);
          }
        if (isObject) continue;
        ways['config']!(element, other);
        for (const [way, value] of [
          ['attribute', one],
          ['property', other],
          ['attribute', one], // no change of the attribute, and still the last word
          ['property', other],
          ['attribute', other],
          ['property', one],
        ] as const) {
          ways[way]!(element, value);
          expect(reads(element), `the last is the ${way}`).to.deep.equal(both(value));
        }
        element.removeAttribute(attribute);
        expect(plain(any(element)[property]), 'what unsets is the last, too').to.equal(plain(other));
        configure(element, null);
      }
      if (unfit === undefined) return;
      for (const give of [() => chat.setAttribute(attribute, unfit as string), () => (chat.config = { [property]: unfit })]) {
        const warnings = await listening(async () => {
          give();
          expect(reads(chat)).to.deep.equal(both(fallback));
          chat.heading = `Another option ${String(Math.random())}`;
          await frame();
        });
        chat.removeAttribute(attribute);
        chat.config = null;
        expect(warnings.join())
          .to.contain(`[tool-chat] Invalid ${isObject ? property : attribute}`)
          .and.not.contain('secret');
        // Elements of earlier tests may still say something else.
        expect(warnings.filter((one) => one.includes('] Invalid'))).to.have.length(1);
      }
    });
  }

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
    expect(await listening(() => warnAboutPage(chat, 'http://example.org/chat'))).to.deep.equal([]);
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
  for (const [preset, decided] of Object.entries(presets))
    it(`\`${preset}\` is its seed’s column of the table (X-18)`, async () => {
      const { config } = await chatOnPage({ preset });
      for (const [setting, value] of Object.entries(decided)) expect(String(config[setting as 'memory']), setting).to.equal(value);
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
      '[tool-chat] Invalid texts.placeholder (number). Expected a string.',
      '[tool-chat] Invalid texts.noSuchText (string). Expected the name of a text.',
    ]);
  });
});
