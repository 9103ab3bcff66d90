/** The options of `<tool-chat>`: set at any time and in any way, below what the page sets itself, and in force from the next turn on. */
import { expect } from '@open-wc/testing';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { warnOfPage } from '../../src/elements/page-warnings.js';
import { vcp } from '../../src/protocols/vcp.js';
import { appears, deepText, fieldOf, find, frame, part, until, words } from './looking.js';
import { call, chatOnPage, chatWith, listening, tool, untilTalking } from './tool-chat-stage.js';

/** Attribute, property, what it is when nobody set it, another value that fits, and one that does not (contract §2). */
const OPTIONS = [
  ['endpoint', 'endpoint', '', '/elsewhere', undefined],
  ['wire', 'wire', 'auto', 'cutie', undefined],
  ['stream', 'stream', 'on', 'off', 'sometimes'],
  ['protocol', 'protocol', 'xml-invoke', 'vcp', undefined],
  ['tools', 'tools', 'on', 'off', 'none'],
  ['model', 'model', '', 'large-1', undefined],
  ['system-prompt', 'systemPrompt', '', 'Be brief.', undefined],
  ['max-tokens', 'maxTokens', 2000, 4000, 'many'],
  ['max-iterations', 'maxIterations', 5, 2, '-1'],
  ['repeat-limit', 'repeatLimit', 3, 2, '1.5'],
  ['tool-timeout', 'toolTimeout', 30_000, 1000, '1e3'],
  ['request-timeout', 'requestTimeout', 60_000, 1000, '60s'],
  ['heartbeat', 'heartbeat', 30_000, 1000, 'NaN'],
  ['layout', 'layout', 'inline', 'sidebar', 'round'],
  ['open', 'open', false, true, undefined],
  ['heading', 'heading', '', 'Helper', undefined],
  ['placeholder', 'placeholder', '', 'Ask away', undefined],
  ['theme', 'theme', 'auto', 'dark', 'pink'],
  ['lang', 'lang', '', 'zh-CN', undefined],
  ['quick-commands', 'quickCommands', '', 'One|Two', undefined],
  ['help-url', 'helpUrl', '', 'https://example.org/help', undefined],
  ['session-id', 'sessionId', '', 's-1', undefined],
  ['log-level', 'logLevel', 'warn', 'off', 'loud'],
] as const;

/** The same of those that the engine brings with it. */
const ENGINE = [
  ['accept', 'accept', 'active', 'any', 'every'],
  ['parse-mode', 'parseMode', 'stream', 'complete', 'done'],
  ['on-broken-call', 'onBrokenCall', 'repair', 'skip', 'ignore'],
  ['result-role', 'resultRole', 'user-envelope', 'tool', 'user'],
  ['prompt-injection', 'promptInjection', 'client', 'off', 'none'],
  ['result-loop', 'resultLoop', 'multi', 'single', 'double'],
  ['on-deny', 'onDeny', 'feed-back', 'stop', 'shrug'],
  ['coercion', 'coercion', 'schema', 'none', 'Schema'],
  ['memory', 'memory', 'window', 'full', 'forever'],
  ['approval', 'approval', 'by-risk', 'always', 'never'],
  ['calls-per-turn', 'callsPerTurn', 'many', 'one', '2'],
  ['dispatch', 'dispatch', 'on-turn-end', 'on-block', 'at-once'],
  ['constrain', 'constrain', 'off', 'auto', 'always'],
  ['execution', 'execution', 'serial', 'parallel', 'random'],
  ['block-timeout', 'blockTimeout', 10_000, 1000, 'soon'],
  ['max-accumulator', 'maxAccumulator', 1_048_576, 1000, 'Infinity'],
] as const;

const OBJECTS = {
  beforeSend: (request: object) => request,
  protocolByModel: { 'house*': 'vcp' },
  promptOptions: { counterExamples: true },
  promptTemplates: { 'xml-invoke': { rules: 'House rules.' } },
};

const any = (chat: object) => chat as Record<string, unknown>;
const pick = (from: object, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, any(from)[name]]));
const names = ENGINE.map(([, property]) => property);
const others = Object.fromEntries(ENGINE.map(([, property, , other]) => [property, other]));
const fallbacks = Object.fromEntries(ENGINE.map(([, property, fallback]) => [property, fallback]));
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

  for (const [attribute, property, fallback, other, unfit] of [...OPTIONS, ...ENGINE])
    it(`has ${attribute} as an attribute and as a property; what does not fit falls back with one warning`, async () => {
      const needsEngine = names.includes(property as never);
      const chat = needsEngine ? await chatOnPage() : document.createElement('tool-chat');
      const quiet = await listening(() => {
        expect(any(chat)[property]).to.equal(fallback);
        chat.setAttribute(attribute, String(other));
        expect(any(chat)[property]).to.equal(other);
        chat.removeAttribute(attribute);
        expect(any(chat)[property]).to.equal(fallback);
        any(chat)[property] = other;
        expect([any(chat)[property], needsEngine ? chat.config[property] : other]).to.deep.equal([other, other]);
      });
      expect([quiet, Object.hasOwn(chat, property)]).to.deep.equal([[], needsEngine]);
      if (unfit === undefined) return;
      const sets = [() => chat.setAttribute(attribute, unfit), ...(needsEngine ? [() => void (any(chat)[property] = unfit)] : [])];
      for (const set of sets) {
        const warnings = await listening(async () => {
          set();
          expect([any(chat)[property], any(chat)[property]]).to.deep.equal([fallback, fallback]);
          await frame();
        });
        expect(warnings).to.have.length(1);
        expect(warnings[0])
          .to.match(new RegExp(`${attribute}|${property}`))
          .and.to.contain('does not fit');
      }
    });

  for (const [property, value] of Object.entries(OBJECTS))
    it(`has ${property} as a property, taken as it is, also before the engine is there`, async () => {
      const before = document.createElement('tool-chat');
      any(before)[property] = value;
      await untilTalking(place(before));
      expect([any(before)[property], before.config[property]]).to.deep.equal([value, value]);
      const late = await chatOnPage();
      expect(any(late)[property]).to.equal(undefined);
      any(late)[property] = value;
      expect([any(late)[property], late.config[property]]).to.deep.equal([value, value]);
      any(late)[property] = undefined;
      late.config = { [property]: value };
      expect(any(late)[property]).to.equal(value);
    });

  it('takes all of the engine from markup, from properties before the tag was known, and from `config`', async () => {
    const markup = await chatOnPage(Object.fromEntries(ENGINE.map(([attribute, , , other]) => [attribute, String(other)])));
    const unknown = Object.assign(early(), others);
    expect('sendMessage' in unknown).to.equal(false);
    await untilTalking(place(unknown as ToolChat));
    const before = Object.assign(document.createElement('tool-chat'), pick(others, names.slice(1)));
    before.config = { accept: 'any', resultLoop: 'multi' };
    await untilTalking(place(before));
    for (const chat of [markup, unknown as ToolChat, before])
      expect([pick(chat, names), pick(chat.config, names)]).to.deep.equal([others, others]);
    before.config = {};
    expect([before.accept, before.resultLoop]).to.deep.equal(['active', 'single']);
  });

  it('warns once of a value in `config` that does not fit', async () => {
    const chat = document.createElement('tool-chat');
    const engine = await chatOnPage();
    const warnings = await listening(() => {
      chat.config = { maxTokens: 'many', model: 'large-1' };
      engine.config = { ...others, memory: 'forever' };
      expect(pick(engine, names)).to.deep.equal({ ...others, memory: 'window' });
    });
    expect([warnings.length, chat.maxTokens, chat.model]).to.deep.equal([2, 2000, 'large-1']);
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
    expect([chat.model, chat.maxTokens, pick(chat, names)]).to.deep.equal(['', 2000, fallbacks]);
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
    expect(chat.matches('[layout=floating][open][theme=dark]')).to.equal(true);
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
