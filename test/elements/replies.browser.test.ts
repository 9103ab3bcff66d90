/** What a model or a service can answer with, from the wire to the screen: reasoning, shown calls, other notations, events of its own, downloads. */
import { expect } from '@open-wc/testing';
import { en } from '../../src/i18n/en.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { vcp } from '../../src/protocols/vcp.js';
import type { Wire, WireEvent } from '../../src/transports/wire.js';
import { FakeLanguageModel } from '../transports/fake-language-model.js';
import { armed, keys, press } from './doing.js';
import { accessible, appears, deepText, find, findAll, part, until, words } from './looking.js';
import { call, chatOnPage, chatWith, tool } from './tool-chat-stage.js';

const approve = part('approve-button');
const answer = (chat: ToolChat) => words(find(chat, part('message-assistant'))?.querySelector('.body'));
const reasoning = (chat: ToolChat) => find<HTMLDetailsElement>(chat, part('reasoning')) as HTMLDetailsElement;
const answers = (chat: ToolChat, text: string) => until(() => answer(chat) === text, `“${text}” is not shown`);

interface Service {
  answers?: unknown;
  send(...events: WireEvent[]): void;
  done(): void;
}

/** A chat with a tool, and a service whose events the test writes. */
async function served() {
  const chat = await chatOnPage();
  const act = tool('act', { risk: 'query' });
  chat.registerTool(act);
  const requests: Service[] = [];
  let taken = 0;
  const wire: Wire = {
    id: 'by-hand',
    request: ({ answers: given = [] }, url) => ({ url, headers: {}, body: { answers: given } }),
    createReader(emit) {
      const decoder = new TextDecoder();
      return {
        push(bytes) {
          for (const line of decoder.decode(bytes, { stream: true }).split('\n').filter(Boolean)) emit(JSON.parse(line) as WireEvent);
        },
        end: () => undefined,
      };
    },
  };
  chat.registerWire(wire);
  Object.assign(chat, { wire: 'by-hand', endpoint: '/by-hand' });
  chat.fetch = (_input, init) => {
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (its) => void (controller = its) });
    const send = (...events: WireEvent[]) => {
      for (const event of events) controller.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`));
    };
    const done = () => {
      send({ type: 'finish', finish: 'stop', proved: true });
      controller.close();
    };
    requests.push({ ...(JSON.parse(String(init?.body)) as { answers: unknown }), send, done });
    return Promise.resolve(new Response(body));
  };
  const next = async () => {
    await until(() => requests.length > taken, 'the service is not asked');
    return requests[taken++] as Service;
  };
  const turn = chat.sendMessage('Go');
  return { chat, act, next, turn, request: await next() };
}

describe('a reply with reasoning', () => {
  const thought = `Let me see. <b>no markup</b> **no bold** ${call('act', { title: 'x' })}`;

  it('of the wire: folded, as text, never run, growing and finished; one thought does not run into the next', async () => {
    const { chat, act, turn, request } = await served();
    request.send({ type: 'reasoning', text: thought.slice(0, 30) });
    await until(() => reasoning(chat)?.checkVisibility(), 'the fold does not appear');
    request.send({ type: 'reasoning', text: thought.slice(30) });
    await until(() => deepText(reasoning(chat)).includes(thought), 'it does not grow');
    reasoning(chat).querySelector('summary')?.click();
    request.send({ type: 'text', text: 'So **yes**. ' }, { type: 'reasoning', text: 'Second thought.' }, { type: 'text', text: 'Indeed.' });
    request.done();
    expect(await turn).to.include({ text: 'So **yes**. Indeed.' });
    await answers(chat, 'So yes. Indeed.');
    expect(findAll(chat, part('reasoning'))).to.have.length(1);
    expect(words(reasoning(chat))).to.match(/<\/tool_use>\s+Second thought\.$/);
    expect([reasoning(chat).open, reasoning(chat).querySelector('b, strong')]).to.deep.equal([true, null]);
    expect([act.ran, findAll(chat, part('tool-card')).length]).to.deep.equal([[], 0]);
    await accessible(chat);
  });

  it('in `<think>`: no tag is shown, nothing of it is run, and it stays out of the answer', async () => {
    const act = tool('act', { risk: 'query' });
    const { chat, model } = await chatWith([act]);
    const turn = chat.sendMessage('Think');
    const request = await model.next();
    for (const piece of ['<th', 'ink>\n', thought, '\n</thi', 'nk>\n\nSo **yes**.\n', '<think>Is that all?</think>Indeed.'])
      request.send(piece);
    await until(() => answer(chat).includes('Indeed.'), 'the answer does not arrive');
    const streaming = [answer(chat), words(reasoning(chat))];
    request.done();
    await turn;
    await appears(chat, part('copy-button'));
    for (const [said, folded] of [streaming, [answer(chat), words(reasoning(chat))]] as [string, string][]) {
      expect(said).to.match(/^So yes\. ?Indeed\.$/);
      expect(folded).to.match(/^Reasoning Let me see\..*<\/tool_use>.*Is that all\?/);
      expect(said + folded).not.to.include('think>');
    }
    expect(act.ran).to.deep.equal([]);
  });
});

describe('a reply that only shows a call', () => {
  async function shown() {
    const act = tool('act', { risk: 'query', label: 'Act' });
    const on = await chatWith([act]);
    const { turn } = await on.model.begin('How?', `\`\`\`xml\n${call('act', { title: 'x' })}\n\`\`\``);
    return { ...on, act, turn, button: await armed(on.chat, approve) };
  }

  it('is offered below the code, and runs by a real click on “Run”', async () => {
    const { chat, act, model, turn, button } = await shown();
    expect([words(button), act.ran]).to.deep.equal([en.run, []]);
    expect(words(find(chat, '.body pre'))).to.include('<invoke name="act">');
    await accessible(chat);
    await press(button);
    await model.reply('Done.');
    await turn;
    expect(act.ran).to.deep.equal([{ title: 'x' }]);
  });

  it('is left alone by keyboard: nothing runs, nothing more is asked', async () => {
    const { chat, act, model, turn } = await shown();
    find(chat, '#heading')?.focus();
    await keys('Tab', ' ');
    expect(await turn).to.include({ reason: 'stop' });
    expect([act.ran.length, model.requests.length]).to.deep.equal([0, 1]);
    await appears(chat, '[data-status=denied]');
  });
});

describe('a reply', () => {
  it('in another notation: neither its markup nor the correction is read, only the second attempt', async () => {
    const { chat, model } = await chatWith([tool('act', { risk: 'query', label: 'Act' })], { 'log-level': 'off' });
    await model.turn('Act', vcp.writeCall!('act', { title: 'x' }), call('act', { title: 'x' }), 'Done.');
    await appears(chat, '[data-status=success]');
    expect(findAll(chat, part('tool-card')).map((card) => card.dataset['status'])).to.deep.equal(['success']);
    expect(words(chat)).not.to.include('TOOL_REQUEST');
    await accessible(chat);
  });

  it('in JSON of its own: what was shown as it came is gone when it is over, and stands in the card', async () => {
    const { chat, act, next, turn, request } = await served();
    request.send({ type: 'text', text: 'Sure.\n\n```json\n{"name": "act", ' });
    await until(() => answer(chat).includes('"name"'), 'it is not shown while it comes');
    request.send({ type: 'text', text: '"arguments": {"title": "x"}}\n```' });
    request.done();
    const second = await next();
    await until(() => answer(chat).startsWith('Sure.') && !answer(chat).includes('"name"'), `it stays: ${answer(chat)}`);
    second.send({ type: 'text', text: 'Sorry.' });
    second.done();
    await turn;
    expect(words(await appears(chat, '[data-status=error]')))
      .to.include(en.notExecuted)
      .and.include(en.callUnread);
    expect(act.ran).to.deep.equal([]);
  });

  it('with calls of the service shows what it does as its doing, while it does it and after', async () => {
    const { chat, turn, request } = await served();
    request.send({ type: 'tool', index: 0, id: 's1', name: 'web\u202Esearch', by: 'service' });
    const shown = await appears(chat, '[data-status=executing]');
    await until(() => words(shown).includes(en.serviceRuns), 'it does not say who runs it');
    request.send({ type: 'tool', index: 0, id: 's1', arguments: '{"query":"<i>milk</i>"}' });
    request.send({ type: 'tool', index: 0, id: 's1', result: '<img src=x onerror="window.pwned=1"> three\u200B hits', by: 'service' });
    await until(() => shown.dataset['status'] === 'success', 'it does not end');
    request.done();
    await turn;
    await until(() => words(shown).includes('<i>milk</i>'), 'the arguments are not shown');
    expect(words(shown)).to.include('webU+202Esearch').and.include(en.serviceDid);
    find(chat, `${part('tool-card-result')} summary`)?.click();
    await until(() => words(shown).includes('<img src=x onerror="window.pwned=1"> threeU+200B hits'), 'the result is not shown');
    expect([shown.querySelector('i:not(.mark), img'), 'pwned' in window]).to.deep.equal([null, false]);
  });

  it('with a question of the service puts it to a person, whose word goes back', async () => {
    const { chat, next, turn, request } = await served();
    const approval = { id: 'ask-1', reason: 'It costs \u202Emoney\u202C <b>!</b>' };
    request.send({ type: 'tool', index: 0, id: 's1', name: 'pay', arguments: '{"sum":5}', approval });
    request.done();
    const button = await armed(chat, approve);
    const question = words(find(chat, part('approval')));
    for (const said of ['pay', 'sum = 5', `${en.serviceSays} It costs U+202EmoneyU+202C <b>!</b>`]) expect(question).to.include(said);
    await press(button);
    const second = await next();
    expect(second.answers).to.have.nested.property('[0].approved', true);
    await until(() => words(find(chat, '[data-status=success]')).includes(en.serviceAllowed), 'it does not say that the service goes on');
    second.done();
    await turn;
  });
});

describe("a reply of the browser's own model", () => {
  it('shows how far the download is, and then answers', async () => {
    const uninstall = FakeLanguageModel.install({ availability: 'downloadable', downloads: [0.25, 0.5, 1], answer: ['Hello', '.'] });
    try {
      const chat = await chatOnPage({ endpoint: 'prompt-api:' });
      let seen = 0;
      const observer = new MutationObserver(() => (seen += find(chat, `${part('status')} progress`) ? 1 : 0));
      observer.observe(find(chat, 'tool-chat-panel')?.shadowRoot as ShadowRoot, { subtree: true, childList: true, characterData: true });
      expect(await chat.sendMessage('Hi')).to.include({ success: true, text: 'Hello.' });
      observer.disconnect();
      expect(seen).to.be.above(0);
      await until(() => find(chat, 'progress') === undefined, 'the bar stays');
    } finally {
      uninstall();
    }
  });

  for (const [what, script, sentence] of [
    ['there is none', { availability: 'unavailable' }, en.noLocalModel],
    ['it wants a click first', { availability: 'downloadable', create: new DOMException('gesture', 'NotAllowedError') }, en.needsGesture],
    ['too much was said', { contextWindow: 3 }, en.tooLongForModel],
  ] as const)
    it(`says in a clear sentence that ${what}`, async () => {
      const uninstall = FakeLanguageModel.install(script);
      // Earlier tests have really clicked, and a click counts for some seconds.
      Object.defineProperty(navigator, 'userActivation', { configurable: true, value: { isActive: false } });
      try {
        const chat = await chatOnPage({ endpoint: 'prompt-api:', 'log-level': 'off', tools: 'off' });
        expect(await chat.sendMessage('Hello there')).to.include({ success: false });
        await until(() => words(find(chat, part('error-bar'))).includes(sentence), words(find(chat, part('error-bar'))));
        expect(chat.error).to.equal(sentence);
      } finally {
        Reflect.deleteProperty(navigator, 'userActivation');
        uninstall();
      }
    });
});
