/** Tries to approve from page script, by everything a page script can reach. Threat model rows 8 and 19 (X-11, X-12; faults 66–68, 114–121). */
import { expect } from '@open-wc/testing';
import { armed, click } from './doing.js';
import { stage, waiting } from './helpers.js';
import { everything, find, findAll, frames, part } from './looking.js';
import { call, chatWith, tool } from './tool-chat-stage.js';

const approve = part('approve-button');

type Fn = (...args: unknown[]) => unknown;
interface Reached {
  functions: { owner: object; key: string; fn: Fn }[];
  objects: Set<object>;
}

const EVENTS = { bubbles: true, composed: true, cancelable: true };

/** Every event a script can make. */
function forgeries(request: object): Event[] {
  const made = (type: string) => Object.assign(new Event(type, EVENTS), { ...request, request, detail: request });
  return [
    ...['pointerdown', 'click'].map((type) => new PointerEvent(type, { ...EVENTS, detail: 1 })),
    ...['mousedown', 'mouseup'].map((type) => new MouseEvent(type, EVENTS)),
    ...['Enter', ' '].map((key) => new KeyboardEvent('keydown', { ...EVENTS, key })),
    new KeyboardEvent('keyup', { ...EVENTS, key: ' ' }),
    ...['approve', 'approval', 'decide', 'approval-request', 'request'].map((type) => made(`tool-chat-${type}`)),
  ];
}

/** Calls everything with everything. Elements that are handed rubbish complain; that is not what is tested. */
async function callAll({ functions }: Reached, ways: readonly unknown[][], except: ReadonlySet<string> = new Set()): Promise<number> {
  const { onerror } = window;
  const { error, warn } = console;
  window.onerror = null;
  // A browser that listens ends by itself, long after this.
  const names = ['SpeechRecognition', 'webkitSpeechRecognition'].filter((name) => name in window);
  const recognizers = names.map((name) => Reflect.get(window, name) as unknown);
  for (const name of names) Reflect.set(window, name, EventTarget);
  console.error = console.warn = () => undefined;
  const quiet = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of ['unhandledrejection', 'error']) window.addEventListener(type, quiet, true);
  let called = 0;
  for (const { owner, key, fn } of functions)
    for (const args of except.has(key) ? [] : ways) {
      called += 1;
      try {
        const answer: unknown = Reflect.apply(fn, owner, args);
        if (answer instanceof Promise) answer.catch(() => undefined);
      } catch {
        // Most of them want other arguments.
      }
    }
  await frames(8);
  for (const type of ['unhandledrejection', 'error']) window.removeEventListener(type, quiet, true);
  for (const [at, name] of names.entries()) Reflect.set(window, name, recognizers[at]);
  window.onerror = onerror;
  Object.assign(console, { error, warn });
  return called;
}

describe('a page script', () => {
  it('cannot run a call by anything of a widget that it can reach, call or dispatch', async () => {
    const act = tool('act', { risk: 'danger' });
    const { chat, model } = await chatWith([act]);
    const snapshots: object[] = [];
    chat.subscribe((snapshot) => snapshots.push(snapshot));
    const events: Event[] = [];
    for (const name of ['approval-request', 'tool-detected', 'state-change', 'log'])
      chat.addEventListener(`tool-chat-${name}`, (event) => events.push(event));
    await model.begin('Act', `I will act. ${call('act', { title: 'as shown' })}`);
    await armed(chat, approve);
    const requestId = find(chat, part('tool-card'))?.dataset['requestId'] ?? '';
    const digest = JSON.stringify(snapshots).match(/[0-9a-f]{64}/)?.[0] ?? '';
    expect(requestId).not.to.equal('');
    const decision = { requestId, digest, verdict: 'allow' };

    for (const element of [chat, ...everything(chat.shadowRoot as ShadowRoot)])
      // What ends the turn ends the question with it, and would prove nothing.
      if (!element.closest(part('stop-button'))) for (const event of forgeries(decision)) element.dispatchEvent(event);
    find(chat, approve)?.click();
    expect(chat.matchesState('awaitingApproval')).to.equal(true);

    const reached = reachable(chat, snapshots, events);
    expect(reached.functions.length).to.be.above(40);
    const ways = [[], [requestId], [decision], [requestId, 'allow'], [{ type: 'user.allow', requestId, digest }]];
    await callAll(reached, ways, endsTheTurn);
    expect(chat.matchesState('awaitingApproval'), 'the question stood all the while').to.equal(true);
    expect(act.ran).to.deep.equal([]);

    // Nor does anything lie about that the statechart or the conversation could be spoken to with.
    for (const object of reached.objects) {
      const its = object as { getSnapshot?: unknown; send?: unknown; dispose?: unknown; decide?: unknown };
      expect(typeof its.getSnapshot === 'function' && typeof its.send === 'function', 'an actor can be reached').to.equal(false);
      expect(typeof its.dispose === 'function', 'the conversation can be reached').to.equal(false);
      if (object !== chat) expect(typeof its.decide, 'a function that decides can be reached').not.to.equal('function');
    }
  });

  // Last: what is called here leaves the elements of this page in no state to go on.
  it('cannot decide by any function of a panel, template or prototype, nor by a real event that it sends again', async () => {
    const surface = waiting();
    const nothing = () => undefined;
    const { panel, decided } = await stage({
      // Not the fake itself: it has methods that a real surface has not.
      ...{ view: surface.view, subscribe: () => nothing, follow: () => nothing, tools: () => Promise.resolve([]) },
      ...{ send: nothing, unqueue: nothing, sendResults: nothing, stop: nothing, retry: nothing, continue: nothing, edit: nothing },
      ...{ undo: nothing, revoke: nothing, dismissError: nothing, answerNotice: nothing, takeOffer: nothing, giveFeedback: nothing },
      memory: { edit: nothing, forget: () => nothing, forgetAll: () => Promise.resolve() },
      checkConfiguration: () => Promise.resolve({ finding: 'ok', endpoint: '' }),
    });
    const button = await armed(panel, approve);
    const decision = { requestId: 'c1', digest: 'digest of c1', verdict: 'allow' };

    for (const element of [panel, ...everything(panel.shadowRoot as ShadowRoot)]) {
      for (const event of forgeries(decision)) element.dispatchEvent(event);
      if (element instanceof HTMLElement) element.click();
    }

    const kept: Event[] = [];
    const keep = (event: Event) => kept.push(event);
    const types = ['pointerdown', 'mousedown', 'mouseup', 'click'];
    for (const type of types) document.addEventListener(type, keep, true);
    await click(find(panel, part('header')) as Element);
    for (const type of types) document.removeEventListener(type, keep, true);
    expect(kept.map(({ isTrusted }) => isTrusted)).to.deep.equal([true, true, true, true]);
    for (const event of kept) button.dispatchEvent(event);

    const forged = { type: 'click', isTrusted: true, target: button, composedPath: () => [button], key: 'Enter', request: decision };
    const ways = [[], ['c1'], [decision], [forged], ...kept.map((event) => [event]), [button, 'allow'], ['c1', 'allow']];
    expect(await callAll(reachable(panel), ways)).to.be.above(500);
    expect(decided).to.deep.equal([]);
    expect(findAll(panel, approve), 'all of it was about a question that was there').to.have.length.above(0);
  });
});

/** What may be called by anyone, and takes the question away without an answer. */
const endsTheTurn = new Set(
  (
    'adoptedCallback disconnectedCallback hostDisconnected remove stop continue send clear forget cancelStream sendResults sendMessage ' +
    'regenerate newConversation openConversation deleteConversation editMessage switchTo'
  ).split(' '),
);

/** Called, these only break the library's own bookkeeping, and prove nothing. */
const bookkeeping = new Set<string | symbol>(['addInitializer', 'createProperty', 'finalize', 'setValue', 'callback', 'requestUpdate']);
const isBookkeeping = (key: string | symbol) => key === 'constructor' || bookkeeping.has(key) || /^(?:_\$|__)/.test(String(key));
const isNative = (fn: unknown) => typeof fn === 'function' && Function.prototype.toString.call(fn).includes('[native code]');
const builtIn = new Set<object>([Object, Function, Array, Promise, Map, Set, WeakMap].map((one) => one.prototype as object));

/** All that can be walked to: own and inherited members, what they hold, templates, open shadow roots, and what the page was given. */
function reachable(root: HTMLElement, ...given: object[]): Reached {
  const functions: Reached['functions'] = [];
  const objects = new Set<object>([root, ...everything(root.shadowRoot as ShadowRoot), ...given]);
  for (const element of [...objects]) {
    const { render } = element as { render?: () => unknown };
    if (render && element instanceof HTMLElement) objects.add({ drawn: render.call(element) });
  }
  const visit = (value: unknown) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || builtIn.has(value)) return;
    if (value === window || value instanceof Document || (value instanceof Node && !isInside(root, value))) return;
    objects.add(value);
  };
  // A set that grows is walked to its end.
  for (const owner of objects) {
    if (objects.size > 50_000) break;
    if (owner instanceof Map || owner instanceof Set) for (const entry of [...(owner as Iterable<unknown>)].flat()) visit(entry);
    for (let level: object | null = owner; level && !builtIn.has(level); level = Object.getPrototypeOf(level) as object | null) {
      if (level instanceof EventTarget && isNative(level.constructor)) break;
      for (const key of Reflect.ownKeys(level)) {
        const { value, get } = Object.getOwnPropertyDescriptor(level, key) ?? {};
        let held: unknown = value;
        if (get && owner instanceof HTMLElement)
          try {
            held = Reflect.apply(get, owner, []);
          } catch {
            continue;
          }
        if (typeof held === 'function' && !isBookkeeping(key) && !isNative(held))
          functions.push({ owner, key: String(key), fn: held as Fn });
        visit(held);
      }
    }
  }
  return { functions, objects };
}

function isInside(root: HTMLElement, node: Node): boolean {
  if (Object.hasOwn(node, 'constructor')) return false; // a prototype
  for (let at: Node | null = node; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) if (at === root) return true;
  return false;
}
