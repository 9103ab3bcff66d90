/** What a model or a service can answer with, from the wire to the screen: reasoning, shown calls, other notations, events of its own, downloads. */
import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { en } from '../../src/i18n/en.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { vcp } from '../../src/protocols/vcp.js';
import type { Wire, WireEvent } from '../../src/transports/wire.js';
import { FakeLanguageModel } from '../transports/fake-language-model.js';
import { appears, armed, atRest, click, deepText, find, findAll, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

const words = (element: Element | undefined) => (element ? deepText(element).replace(/\s+/g, ' ').trim() : '');
const approve = part('approve-button');
const answer = (chat: ToolChat, at = 0) => words(findAll(chat, part('message-assistant'))[at]?.querySelector('.body') ?? undefined);
const reasoning = (chat: ToolChat, at = 0) => findAll<HTMLDetailsElement>(chat, part('reasoning'))[at] as HTMLDetailsElement;

/** A service whose events the test writes: `send` one by one. */
function eventsByHand(chat: ToolChat) {
  const requests: { answers?: unknown; send(event: WireEvent): void; done(): void }[] = [];
  let taken = 0;
  const wire: Wire = {
    id: 'by-hand',
    request: ({ answers = [] }, url) => ({ url, headers: {}, body: { answers } }),
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
    const send = (event: WireEvent) => {
      controller.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`));
    };
    requests.push({
      ...(JSON.parse(String(init?.body)) as { answers: unknown }),
      send,
      done() {
        send({ type: 'finish', finish: 'stop', proved: true });
        controller.close();
      },
    });
    return Promise.resolve(new Response(body));
  };
  return async () => {
    await until(() => requests.length > taken, 'the service is not asked');
    return requests[taken++] as (typeof requests)[number];
  };
}

describe('a reply', () => {
  describe('with reasoning', () => {
    const thought = `Let me see. <b>no markup</b> **no bold** ${call('act', { title: 'x' })}`;

    it('of the wire: folded, as text, never run, growing and finished', async () => {
      const chat = await chatOnPage();
      const act = tool('act', { risk: 'query' });
      chat.registerTool(act);
      const next = eventsByHand(chat);
      const turn = chat.sendMessage('Think');
      const request = await next();
      request.send({ type: 'reasoning', text: thought.slice(0, 30) });
      await until(() => reasoning(chat)?.checkVisibility(), 'the fold does not appear');
      request.send({ type: 'reasoning', text: thought.slice(30) });
      await until(() => deepText(reasoning(chat)).includes(thought), 'it does not grow');
      reasoning(chat).querySelector('summary')?.click();
      request.send({ type: 'text', text: 'So **yes**.' });
      request.done();
      expect(await turn).to.include({ text: 'So **yes**.' });
      await until(() => answer(chat) === 'So yes.', 'the answer is not shown');
      expect(deepText(reasoning(chat))).to.include(thought);
      expect([reasoning(chat).open, reasoning(chat).querySelector('b, strong')]).to.deep.equal([true, null]);
      expect([act.ran, findAll(chat, part('tool-card')).length]).to.deep.equal([[], 0]);
      expect(chat.messages.at(-1)).to.include({ text: 'So **yes**.', reasoning: thought });
      await atRest(chat);
      await expect(chat).to.be.accessible();
    });

    it('in `<think>`: no tag is shown, nothing of it is run, and it stays out of the answer', async () => {
      const chat = await chatOnPage();
      const act = tool('act', { risk: 'query' });
      chat.registerTool(act);
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Think');
      const request = await model.next();
      for (const piece of ['<th', 'ink>\n', thought, '\n</thi', 'nk>\n\nSo **yes**.\n', '<think>Is that all?</think>Indeed.'])
        request.send(piece);
      await until(() => answer(chat).includes('Indeed.'), 'the answer does not arrive');
      const streaming = [answer(chat), words(reasoning(chat))];
      request.done();
      await turn;
      await until(() => find(chat, part('copy-button')) !== undefined, 'it does not end');
      for (const [said, folded] of [streaming, [answer(chat), words(reasoning(chat))]] as [string, string][]) {
        expect(said).to.match(/^So yes\. ?Indeed\.$/);
        expect(folded)
          .to.match(/^Reasoning Let me see\./)
          .and.include('</tool_use>')
          .and.include('Is that all?');
        expect(said + folded).not.to.include('think>');
      }
      expect(act.ran).to.deep.equal([]);
    });

    it('around the text: one fold, and one thought does not run into the next', async () => {
      const chat = await chatOnPage();
      const next = eventsByHand(chat);
      const turn = chat.sendMessage('Think');
      const request = await next();
      for (const [type, text] of [
        ['reasoning', 'First thought.'],
        ['text', 'One. '],
        ['reasoning', 'Second thought.'],
        ['text', 'Two.'],
      ] as const)
        request.send({ type, text });
      request.done();
      await turn;
      await until(() => answer(chat) === 'One. Two.', 'the answer is not shown');
      expect(findAll(chat, part('reasoning'))).to.have.length(1);
      expect(words(reasoning(chat))).to.match(/First thought\.\s+Second thought\.$/);
    });
  });

  describe('that only shows a call', () => {
    const shown = `You would write:\n\n\`\`\`xml\n${call('act', { title: 'x' })}\n\`\`\``;

    it('is offered below the code, and runs by a real click on “Run”', async () => {
      const chat = await chatOnPage();
      const act = tool('act', { risk: 'query', label: 'Act' });
      chat.registerTool(act);
      const model = answerByHand(chat);
      const turn = chat.sendMessage('How?');
      const request = await model.next();
      request.send(`\`\`\`xml\n${call('act', { title: 'x' })}\n\`\`\``);
      request.done();
      const button = await armed(chat, approve);
      expect(button.textContent.trim()).to.equal(en.run);
      expect(act.ran).to.deep.equal([]);
      expect(find(chat, '.body pre')?.textContent).to.include('<invoke name="act">');
      await atRest(chat);
      await expect(chat).to.be.accessible();
      await click(button);
      const second = await model.next();
      second.send('Done.');
      second.done();
      await turn;
      expect(act.ran).to.deep.equal([{ title: 'x' }]);
    });

    it('is left alone by keyboard: nothing runs, nothing more is asked', async () => {
      const chat = await chatOnPage();
      const act = tool('act', { risk: 'query' });
      chat.registerTool(act);
      const model = answerByHand(chat);
      const turn = chat.sendMessage('How?');
      const request = await model.next();
      request.send(shown.slice(shown.indexOf('```')));
      request.done();
      await armed(chat, approve);
      find(chat, '#heading')?.focus();
      await sendKeys({ press: 'Tab' });
      await sendKeys({ press: ' ' });
      expect(await turn).to.include({ reason: 'stop' });
      expect([act.ran.length, model.requests.length]).to.deep.equal([0, 1]);
      await appears(chat, '[data-status=denied]');
    });
  });

  it('in another notation: neither its markup nor the correction is read, only the second attempt', async () => {
    const chat = await chatOnPage({ 'log-level': 'off' });
    chat.registerTool(tool('act', { risk: 'query', label: 'Act' }));
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Act');
    for (const reply of [vcp.writeCall!('act', { title: 'x' }), call('act', { title: 'x' }), 'Done.']) {
      const request = await model.next();
      request.send(reply);
      request.done();
    }
    await turn;
    await appears(chat, '[data-status=success]');
    expect(findAll(chat, part('tool-card')).map((card) => card.dataset['status'])).to.deep.equal(['success']);
    expect(words(chat)).not.to.include('TOOL_REQUEST');
    await atRest(chat);
    await expect(chat).to.be.accessible();
  });

  it('in JSON of its own: what was shown as it came is gone when it is over, and stands in the card', async () => {
    const chat = await chatOnPage();
    const act = tool('act');
    chat.registerTool(act);
    const next = eventsByHand(chat);
    const turn = chat.sendMessage('Act');
    const request = await next();
    request.send({ type: 'text', text: 'Sure.\n\n```json\n{"name": "act", ' });
    await until(() => answer(chat).includes('"name"'), 'it is not shown while it comes');
    request.send({ type: 'text', text: '"arguments": {"title": "x"}}\n```' });
    request.done();
    const second = await next();
    await until(() => answer(chat).startsWith('Sure.') && !answer(chat).includes('"name"'), `it stays: ${answer(chat)}`);
    second.send({ type: 'text', text: 'Sorry.' });
    second.done();
    await turn;
    const failed = await appears(chat, '[data-status=error]');
    expect(words(failed)).to.include(en.notExecuted).and.include(en.callUnread);
    expect(act.ran).to.deep.equal([]);
  });

  describe('with calls of the service', () => {
    it('shows what it does as its doing, while it does it and after', async () => {
      const chat = await chatOnPage();
      const next = eventsByHand(chat);
      const turn = chat.sendMessage('Look');
      const request = await next();
      request.send({ type: 'text', text: 'Looking.' });
      request.send({ type: 'tool', index: 0, id: 's1', name: 'web\u202Esearch', by: 'service' });
      const shown = await appears(chat, '[data-status=executing]');
      await until(() => words(shown).includes(en.serviceRuns), 'it does not say who runs it');
      request.send({ type: 'tool', index: 0, id: 's1', arguments: '{"query":"<i>milk</i>"}' });
      request.send({ type: 'tool', index: 0, id: 's1', result: '<img src=x onerror="window.pwned=1"> three\u200B hits', by: 'service' });
      await until(() => shown.dataset['status'] === 'success', 'it does not end');
      request.send({ type: 'text', text: 'Three.' });
      request.done();
      await turn;
      await until(() => words(shown).includes('<i>milk</i>'), 'the arguments are not shown');
      expect(words(shown)).to.include('webU+202Esearch').and.include(en.serviceDid);
      find(chat, `${part('tool-card-result')} summary`)?.click();
      await until(() => words(shown).includes('<img src=x onerror="window.pwned=1"> threeU+200B hits'), 'the result is not shown');
      expect([shown.querySelector('i:not(.mark), img'), 'pwned' in window]).to.deep.equal([null, false]);
      await atRest(chat);
      await expect(chat).to.be.accessible();
    });

    it('puts its question to a person, whose word goes back', async () => {
      const chat = await chatOnPage();
      const next = eventsByHand(chat);
      const turn = chat.sendMessage('Pay');
      const request = await next();
      const approval = { id: 'ask-1', reason: 'It costs \u202Emoney\u202C <b>!</b>' };
      request.send({ type: 'tool', index: 0, id: 's1', name: 'pay', arguments: '{"sum":5}', approval });
      request.done();
      const button = await armed(chat, approve);
      const question = find(chat, part('approval')) as HTMLElement;
      expect(words(question)).to.include('pay').and.include('sum = 5');
      expect(words(question)).to.include(`${en.serviceSays} It costs U+202EmoneyU+202C <b>!</b>`);
      await atRest(chat);
      await expect(chat).to.be.accessible();
      await click(button);
      const second = await next();
      expect(second.answers).to.have.nested.property('[0].approved', true);
      await until(() => words(find(chat, '[data-status=success]')).includes(en.serviceAllowed), 'it does not say that the service goes on');
      second.done();
      await turn;
    });
  });

  describe("of the browser's own model", () => {
    it('shows how far the download is, and then answers', async () => {
      const uninstall = FakeLanguageModel.install({ availability: 'downloadable', downloads: [0.25, 0.5, 1], answer: ['Hello', '.'] });
      try {
        const chat = await chatOnPage();
        const seen = new Set<number>();
        chat.endpoint = 'prompt-api:';
        const observer = new MutationObserver(() => {
          const bar = find<HTMLProgressElement>(chat, `${part('status')} progress`);
          if (bar) seen.add(bar.value);
        });
        observer.observe(find(chat, 'tool-chat-panel')?.shadowRoot as ShadowRoot, { subtree: true, childList: true, characterData: true });
        expect(await chat.sendMessage('Hi')).to.include({ success: true, text: 'Hello.' });
        observer.disconnect();
        expect(seen.size).to.be.above(0);
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
          await atRest(chat);
          await expect(chat).to.be.accessible();
        } finally {
          Reflect.deleteProperty(navigator, 'userActivation');
          uninstall();
        }
      });
  });
});
