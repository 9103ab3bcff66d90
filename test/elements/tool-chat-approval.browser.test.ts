/** The whole element against a page's own script: nothing but a person's click lets a call run (X-11, X-12; faults 66–68, 114–121). */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, armed, click, deepText, everything, find, findAll, frame, middle, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

const ALLOW = part('approve-button');
const DENY = part('deny-button');

/** A chat whose one call waits for a person. */
async function waitingChat(change: Record<string, unknown> = {}, parameters: Record<string, string> = { title: 'as shown' }) {
  const chat = await chatOnPage();
  const act = tool('act', change);
  chat.registerTool(act);
  const model = answerByHand(chat);
  const turn = chat.sendMessage('Act');
  const first = await model.next();
  first.send(`I will act. ${call('act', parameters)}`);
  first.done();
  await armed(chat, ALLOW);
  return { chat, act, model, turn };
}

async function finish({ model, turn }: Awaited<ReturnType<typeof waitingChat>>) {
  const last = await model.next();
  last.done();
  return { result: await turn, told: last.body.messages.at(-1)?.text ?? '' };
}

describe('approval in <tool-chat>', () => {
  afterEach(() => resetMouse());

  it('runs the call once for one real click', async () => {
    const waiting = await waitingChat();
    expect([waiting.chat.isLoading, waiting.chat.matchesState('awaitingApproval'), waiting.chat.session.requiresConfirm]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(waiting.chat.matches(':state(awaitingApproval)')).to.equal(true);
    expect(waiting.act.ran).to.deep.equal([]);
    await click(find(waiting.chat, ALLOW) as Element);
    const { result } = await finish(waiting);
    expect(waiting.act.ran).to.deep.equal([{ title: 'as shown' }]);
    expect(result.results.map(({ status }) => status)).to.deep.equal(['success']);
    expect(waiting.chat.messages.flatMap(({ metadata }) => metadata.toolCallsRequested ?? []).map(({ status }) => status)).to.deep.equal([
      'completed',
    ]);
  });

  it('D68 runs it once for a double click, too', async () => {
    const waiting = await waitingChat();
    const position = middle(find(waiting.chat, ALLOW) as Element);
    await sendMouse({ type: 'click', position });
    await sendMouse({ type: 'click', position });
    await finish(waiting);
    expect(waiting.act.ran).to.have.length(1);
    expect(findAll(waiting.chat, part('tool-card'))).to.have.length(1);
  });

  it('runs nothing when it is denied, and tells the model', async () => {
    const waiting = await waitingChat({ risk: 'danger' });
    await click(find(waiting.chat, DENY) as Element);
    const { result, told } = await finish(waiting);
    expect(waiting.act.ran).to.deep.equal([]);
    expect(told).to.contain('denied').and.to.contain('The user declined this action');
    expect(result.results[0]).to.include({ status: 'denied', code: 'DENIED', success: false });
    await until(
      () => deepText(find(waiting.chat, '[data-status=denied]') ?? document.createElement('i')).includes('The user declined this action'),
      'the card does not say it',
    );
  });

  it('grants what a person chose below the buttons, lists it, and asks again once it is revoked', async () => {
    const waiting = await waitingChat({ risk: 'danger' });
    const { chat, act, model } = waiting;
    const choices = () => findAll<HTMLElement>(chat, '.remember .choice');
    await click(find(chat, '.remember summary') as Element);
    await until(() => choices().length > 1 && (choices()[1]?.getBoundingClientRect().height ?? 0) > 0, 'there is nothing to choose');
    expect(deepText(choices()[1] as Element))
      .to.contain('title')
      .and.to.contain('as shown');
    choices()[1]?.scrollIntoView({ block: 'center' });
    await frame();
    await click(choices()[1] as Element);
    await until(() => choices()[1]?.getAttribute('aria-checked') === 'true', 'the choice is not taken');
    find(chat, ALLOW)?.scrollIntoView({ block: 'center' });
    await armed(chat, ALLOW);
    await click(find(chat, ALLOW) as Element);
    await finish(waiting);
    expect(chat.grants.map(({ toolName, scope }) => [toolName, scope])).to.deep.equal([['act', 'session']]);

    const again = chat.sendMessage('Act again');
    const first = await model.next();
    first.send(call('act', { title: 'as shown' }));
    first.done();
    (await model.next()).done();
    await again;
    expect(act.ran).to.have.length(2);

    await click(await appears(chat, part('menu-button')));
    await click(await appears(chat, '[data-item=grants]'));
    await click(await appears(chat, part('revoke-button')));
    await until(() => chat.grants.length === 0, 'it is not revoked');
    await click(await appears(chat, '[part~=menu] .back'));
    const third = chat.sendMessage('And again');
    const asking = await model.next();
    asking.send(call('act', { title: 'as shown' }));
    asking.done();
    await until(() => chat.matchesState('awaitingApproval'), 'it is not asked about');
    chat.cancelStream();
    await third;
    expect(act.ran).to.have.length(2);
  });

  it('says in `error` that the page hides the question, does not ask meanwhile, and takes it back (fault 103)', async () => {
    const waiting = await waitingChat();
    const hiding = new CSSStyleSheet();
    hiding.replaceSync('tool-chat::part(approval) { visibility: hidden !important; }');
    document.adoptedStyleSheets.push(hiding);
    try {
      const hidden = 'The page hides this question, so it cannot be answered here';
      await until(() => waiting.chat.error === hidden, 'the error does not say it');
      const allow = find(waiting.chat, ALLOW) as Element;
      expect(allow.getAttribute('aria-disabled')).to.equal('true');
      await click(allow);
      expect(waiting.act.ran).to.deep.equal([]);
    } finally {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== hiding);
    }
    await until(() => waiting.chat.error === null, 'the error is not taken back');
    await armed(waiting.chat, ALLOW);
    await click(find(waiting.chat, DENY) as Element);
    await finish(waiting);
  });

  it('goes on showing the newest when the last question was answered', async () => {
    const waiting = await waitingChat();
    const scroller = find(waiting.chat, part('messages')) as HTMLElement;
    await click(find(waiting.chat, DENY) as Element);
    const last = await waiting.model.next();
    last.send('line\n\n'.repeat(60));
    last.done();
    await waiting.turn;
    await until(() => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 8, 'it has let go of the end');
  });

  it('H121 ends the turn when the same call is denied twice', async () => {
    const waiting = await waitingChat();
    await click(find(waiting.chat, DENY) as Element);
    const second = await waiting.model.next();
    await until(() => find(waiting.chat, '[data-status=denied]') !== undefined, 'the card does not change');
    second.send(call('act', { title: 'as shown' }));
    second.done();
    (await appears(waiting.chat, DENY)).scrollIntoView();
    await click(await armed(waiting.chat, DENY));
    expect(await waiting.turn).to.include({ success: false, reason: 'denied' });
    expect(waiting.act.ran).to.deep.equal([]);
  });

  it('asks for a tool that does not say what it does, and for every call if the page wants so', async () => {
    for (const [approval, risk, asks] of [
      ['by-risk', undefined, true],
      ['by-risk', 'danger', true],
      ['by-risk', 'write', false],
      ['by-risk', 'query', false],
      ['always', 'query', true],
      ['auto', 'write', false],
    ] as const) {
      const chat = await chatOnPage({ approval });
      const act = tool('act', risk ? { risk } : {});
      chat.registerTool(act);
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Act');
      const first = await model.next();
      first.send(call('act'));
      first.done();
      if (asks) {
        await appears(chat, ALLOW);
        chat.cancelStream();
      } else (await model.next()).done();
      await turn;
      expect(act.ran.length, `${approval} ${String(risk)}`).to.equal(asks ? 0 : 1);
    }
  });

  it('asks nothing of a reply that was cut, and runs nothing of it', async () => {
    const chat = await chatOnPage({ 'log-level': 'off' });
    const act = tool('act', { risk: 'write' });
    chat.registerTool(act);
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Act');
    const first = await model.next();
    first.send(call('act', { title: 'too early' }));
    await until(() => find(chat, part('tool-card')) !== undefined, 'there is no card');
    first.error('It broke');
    expect(await turn).to.include({ success: false });
    expect(act.ran).to.deep.equal([]);
    expect(find(chat, ALLOW)).to.equal(undefined);
  });

  it('H114 runs what was shown, whatever a listener does to it', async () => {
    const meddle = (event: Event) => {
      const { calls, tool: named } = event as Event & { calls?: { args: object }[]; tool?: { params: object } };
      for (const held of [...(calls ?? []).map(({ args }) => args), named?.params ?? {}])
        try {
          Object.assign(held, { title: 'changed' });
        } catch {
          // Frozen: so much the better.
        }
    };
    for (const name of ['approval-request', 'tool-detected', 'tool-execute']) document.addEventListener(`tool-chat-${name}`, meddle);
    try {
      const waiting = await waitingChat({ describeCall: (args: { title: string }) => (args.title = 'changed by the tool') });
      for (const snapshot of [waiting.chat.messages, waiting.chat.currentTool, waiting.chat.session])
        try {
          JSON.parse(JSON.stringify(snapshot), function (this: Record<string, unknown>, key, value: unknown) {
            if (key === 'title') this[key] = 'changed';
            return value;
          });
        } catch {
          // The same.
        }
      expect(deepText(find(waiting.chat, '.arguments') as Element)).to.contain('title = as shown');
      await click(find(waiting.chat, ALLOW) as Element);
      await finish(waiting);
      expect(waiting.act.ran).to.deep.equal([{ title: 'as shown' }]);
    } finally {
      for (const name of ['approval-request', 'tool-detected', 'tool-execute']) document.removeEventListener(`tool-chat-${name}`, meddle);
    }
  });

  it('C58 does not run a tool that was replaced while its card waited', async () => {
    const chat = await chatOnPage();
    const [before, after] = [tool('act'), tool('act')];
    const off = chat.registerTool(before);
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Act');
    const first = await model.next();
    first.send(call('act'));
    first.done();
    await armed(chat, ALLOW);
    off();
    chat.registerTool(after);
    // What is to be edited is another tool's now, and what moves the buttons makes them wait.
    await until(() => !find(chat, '[part~="edit-button"]'), 'its arguments can still be edited');
    await frame();
    await click(await armed(chat, ALLOW));
    (await model.next()).done();
    const { results } = await turn;
    expect([before.ran, after.ran]).to.deep.equal([[], []]);
    expect(results[0]).to.include({ status: 'error', code: 'TOOL_NOT_FOUND' });
  });

  it('is over when the turn is stopped, and late clicks do nothing (fault 66)', async () => {
    const waiting = await waitingChat();
    const position = middle(find(waiting.chat, ALLOW) as Element);
    waiting.chat.cancelStream();
    await sendMouse({ type: 'click', position });
    expect(await waiting.turn).to.include({ reason: 'cancelled' });
    expect(waiting.act.ran).to.deep.equal([]);
    expect(waiting.chat.toolHistory.at(-1)).to.include({ status: 'cancelled' });
  });

  it('makes way for the next message of the person: what waited is not executed', async () => {
    const waiting = await waitingChat();
    find<HTMLTextAreaElement>(waiting.chat, 'textarea')?.focus();
    await sendKeys({ type: 'Never mind' });
    await sendKeys({ press: 'Enter' });
    expect(await waiting.turn).to.include({ reason: 'cancelled' });
    const next = await waiting.model.next();
    expect(next.body.messages.at(-1)?.text).to.contain('Never mind');
    expect(JSON.stringify(next.body.messages)).to.contain('cancelled');
    next.done();
    await until(() => !waiting.chat.isLoading, 'the turn does not end');
    expect(waiting.act.ran).to.deep.equal([]);
  });

  it('lets nothing that page script can reach, call or dispatch run the call', async () => {
    const waiting = await waitingChat({ risk: 'danger' });
    const { chat, act } = waiting;
    const snapshots: object[] = [];
    chat.subscribe((snapshot) => snapshots.push(snapshot));
    const events: Event[] = [];
    for (const name of ['approval-request', 'tool-detected', 'state-change', 'log'])
      document.addEventListener(`tool-chat-${name}`, (event) => events.push(event));
    const requestId = find(chat, part('tool-card'))?.dataset['requestId'] ?? '';
    expect(requestId).not.to.equal('');

    const all = { bubbles: true, composed: true, cancelable: true };
    for (const element of [chat, ...everything(chat.shadowRoot as ShadowRoot)]) {
      // What ends the turn ends the question with it, and would prove nothing.
      if (element.closest(part('stop-button'))) continue;
      for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click']) element.dispatchEvent(new PointerEvent(type, all));
      for (const key of ['Enter', ' ']) element.dispatchEvent(new KeyboardEvent('keydown', { ...all, key }));
      for (const type of ['tool-chat-approve', 'tool-chat-approval', 'tool-chat-decide', 'tool-chat-request'])
        element.dispatchEvent(
          Object.assign(new Event(type, all), {
            request: { type: 'allow', requestId },
            requestId,
            verdict: 'allow',
            detail: { requestId },
          }),
        );
    }
    find(chat, ALLOW)?.click();
    expect(chat.matchesState('awaitingApproval')).to.equal(true);

    const { functions, objects } = reachable(chat, snapshots, events);
    const digest = JSON.stringify(snapshots).match(/[0-9a-f]{64}/)?.[0] ?? '';
    const decisions = [
      [],
      [requestId],
      [{ requestId, digest, verdict: 'allow' }],
      [requestId, 'allow'],
      [{ type: 'user.allow', requestId, digest }],
    ];
    expect(functions.length).to.be.above(40);
    const restore = quietly();
    for (const { owner, key, fn } of functions) {
      if (endsTheTurn.has(key)) continue;
      for (const args of decisions)
        try {
          const answer: unknown = Reflect.apply(fn, owner, args);
          if (answer instanceof Promise) answer.catch(() => undefined);
        } catch {
          // Most of them want other arguments.
        }
    }
    for (let frames = 0; frames < 5; frames += 1) await frame();
    restore();
    expect(chat.matchesState('awaitingApproval'), 'the question stood all the while').to.equal(true);
    expect(act.ran).to.deep.equal([]);

    // Nor does anything lie about that the statechart or the conversation could be spoken to with.
    for (const object of objects) {
      const its = object as { getSnapshot?: unknown; send?: unknown; dispose?: unknown; decide?: unknown };
      expect(typeof its.getSnapshot === 'function' && typeof its.send === 'function', 'an actor can be reached').to.equal(false);
      expect(typeof its.dispose === 'function', 'the conversation can be reached').to.equal(false);
      if (object !== chat) expect(typeof its.decide, 'a function that decides can be reached').not.to.equal('function');
    }
  });
});

/** What may be called by anyone, and takes the question away without an answer. */
const endsTheTurn = new Set([
  'adoptedCallback',
  'cancelStream',
  'sendResults',
  'forget',
  'stop',
  'send',
  'clear',
  'remove',
  'disconnectedCallback',
  'sendMessage',
  'regenerate',
  'newConversation',
  'openConversation',
  'deleteConversation',
  'editMessage',
  'hostDisconnected',
]);

type Fn = (...args: unknown[]) => unknown;

/** All that can be walked to from the element, its open shadow roots, what `subscribe` gave and what events carried. */
function reachable(chat: ToolChat, ...given: object[]) {
  const functions: { owner: object; key: string; fn: Fn }[] = [];
  const objects = new Set<object>([chat, ...everything(chat.shadowRoot as ShadowRoot), ...given]);
  const isNative = (fn: unknown) => typeof fn === 'function' && Function.prototype.toString.call(fn).includes('[native code]');
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || value === window || value instanceof Document) return;
    if (value instanceof Node && !(value instanceof HTMLElement && value.localName.startsWith('tool-chat'))) return;
    objects.add(value);
  };
  // A set that grows is walked to its end.
  for (const owner of objects) {
    if (objects.size > 20_000) break;
    if (owner instanceof Map || owner instanceof Set) for (const entry of [...(owner as Iterable<unknown>)].flat()) visit(entry);
    for (
      let level: object | null = owner;
      level && level !== Object.prototype && !isNative(level.constructor);
      level = Object.getPrototypeOf(level) as object | null
    ) {
      for (const key of Reflect.ownKeys(level)) {
        if (key === 'constructor' || /^(?:_\$|__)/.test(String(key))) continue; // the rendering library's own bookkeeping
        let held: unknown;
        try {
          held = Reflect.get(level, key, owner);
        } catch {
          continue;
        }
        if (typeof held === 'function' && !isNative(held)) functions.push({ owner, key: String(key), fn: held as Fn });
        visit(held);
      }
    }
    for (const key of owner.constructor === Object || Array.isArray(owner) ? Reflect.ownKeys(owner) : []) visit(Reflect.get(owner, key));
  }
  return { functions, objects };
}

/** Elements that are handed rubbish complain; that is not what is tested. */
function quietly(): () => void {
  const { onerror } = window;
  const { error, warn } = console;
  window.onerror = null;
  console.error = console.warn = () => undefined;
  const quiet = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of ['unhandledrejection', 'error']) window.addEventListener(type, quiet, true);
  return () => {
    for (const type of ['unhandledrejection', 'error']) window.removeEventListener(type, quiet, true);
    window.onerror = onerror;
    Object.assign(console, { error, warn });
  };
}
