/** Tries to approve from page script, by everything a page script can reach. Threat model rows 8 and 19. */
import { expect } from '@open-wc/testing';
import { resetMouse } from '@web/test-runner-commands';
import { allowDecisions } from '../../src/elements/decisions.js';
import { armed, click, everything, find, frame, isArmed, part, stage, until, waiting } from './helpers.js';

const approve = part('approve-button');

describe('decisions', () => {
  afterEach(() => resetMouse());

  it('decides for a real click: the same buttons, the same listeners', async () => {
    const { panel, decided } = await stage(waiting());
    await click(await armed(panel, approve));
    expect(decided).to.deep.equal([{ requestId: 'c1', digest: 'digest of c1', verdict: 'allow' }]);
  });

  it('keeps the receiver of decisions where replaced built-ins do not see it', async () => {
    const { panel, decided } = await stage(waiting());
    const button = await armed(panel, approve);
    const seen: unknown[] = [];
    const { get } = WeakMap.prototype;
    const { addEventListener } = EventTarget.prototype;
    WeakMap.prototype.get = function (this: WeakMap<WeakKey, unknown>, key: WeakKey) {
      const value = Reflect.apply(get, this, [key]) as unknown;
      if (key === panel) seen.push(value);
      return value;
    };
    try {
      await click(button);
    } finally {
      WeakMap.prototype.get = get;
      EventTarget.prototype.addEventListener = addEventListener;
    }
    expect(decided).to.have.length(1);
    expect(seen).to.deep.equal([]);
  });

  it('ignores a real click that a label sends on from elsewhere', async () => {
    const { panel, decided } = await stage(waiting());
    const button = await armed(panel, approve);
    const label = document.createElement('label');
    label.htmlFor = button.id = 'lent';
    label.textContent = 'Win a prize';
    button.getRootNode().appendChild(label);
    await until(() => isArmed(button), 'the button does not arm again');
    await click(label);
    expect(decided).to.deep.equal([]);
  });

  it('refuses a second receiver', async () => {
    const { panel } = await stage(waiting());
    expect(() => allowDecisions(panel, () => {})).to.throw('already');
  });

  // Last: what is called here leaves the elements of this page in no state to go on.
  it('decides nothing for any function that can be reached, nor for any event that can be made', async () => {
    const surface = waiting();
    const { panel, decided } = await stage({
      // Not the fake itself: it has methods that a real surface has not.
      view: surface.view,
      subscribe: () => () => {},
      follow: () => () => {},
      send() {},
      unqueue() {},
      sendResults() {},
      tools: () => Promise.resolve([]),
      stop() {},
      retry() {},
      continue() {},
      edit() {},
      undo() {},
      revoke() {},
      memory: { edit() {}, forget: () => () => {}, forgetAll: () => Promise.resolve() },
      dismissError() {},
      answerNotice() {},
      takeOffer() {},
      checkConfiguration: () => Promise.resolve({ finding: 'ok', endpoint: '' }),
      giveFeedback() {},
    });
    const button = await armed(panel, approve);

    // Every event a script can make, on every element.
    for (const element of [panel, ...everything(panel.shadowRoot as ShadowRoot)]) {
      for (const event of forgeries()) element.dispatchEvent(event);
      if (element instanceof HTMLElement) element.click();
    }

    // A real event, kept and sent again.
    const kept: Event[] = [];
    const keep = (event: Event) => kept.push(event);
    const types = ['pointerdown', 'mousedown', 'mouseup', 'click'];
    for (const type of types) document.addEventListener(type, keep, true);
    await click(find(panel, part('header')) as Element);
    for (const type of types) document.removeEventListener(type, keep, true);
    expect(kept.map(({ isTrusted }) => isTrusted)).to.deep.equal([true, true, true, true]);
    for (const event of kept) button.dispatchEvent(event);

    // Every function of every object that can be reached, templates and their values included.
    const decision = { requestId: 'c1', digest: 'digest of c1', verdict: 'allow' };
    const forged = { type: 'click', isTrusted: true, target: button, composedPath: () => [button], key: 'Enter', request: decision };
    const quiet = (event: Event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    // Elements that were handed rubbish complain; that is not what is tested.
    const { onerror } = window;
    const { error } = console;
    window.onerror = null;
    console.error = () => {};
    for (const type of ['unhandledrejection', 'error']) window.addEventListener(type, quiet, true);
    let called = 0;
    for (const { owner, fn } of reachable(panel))
      for (const args of [[], ['c1'], [decision], [forged], ...kept.map((event) => [event]), [button, 'allow'], ['c1', 'allow']]) {
        called += 1;
        try {
          const answer: unknown = Reflect.apply(fn, owner, args);
          if (answer instanceof Promise) answer.catch(() => {});
        } catch {
          // Most of them want other arguments.
        }
      }
    for (let wait = 0; wait < 10; wait += 1) await frame();
    for (const type of ['unhandledrejection', 'error']) window.removeEventListener(type, quiet, true);
    window.onerror = onerror;
    console.error = error;
    expect(called).to.be.above(500);
    expect(decided).to.deep.equal([]);
  });
});

function forgeries(): Event[] {
  const all = { bubbles: true, composed: true, cancelable: true };
  const requests = ['allow', 'approve', 'decide', 'settle'].map((type) =>
    Object.assign(new Event('tool-chat-request', all), { request: { type, requestId: 'c1', digest: 'digest of c1', verdict: 'allow' } }),
  );
  return [
    new PointerEvent('pointerdown', all),
    new MouseEvent('mousedown', all),
    new MouseEvent('mouseup', all),
    new PointerEvent('click', { ...all, detail: 1 }),
    new KeyboardEvent('keydown', { ...all, key: 'Enter' }),
    new KeyboardEvent('keydown', { ...all, key: ' ' }),
    new KeyboardEvent('keyup', { ...all, key: ' ' }),
    ...['tool-chat-approve', 'tool-chat-approval', 'tool-chat-decide', 'tool-chat-approval-request'].map((type) => new Event(type, all)),
    ...requests,
  ];
}

/** Called, these only break the library's own bookkeeping, and prove nothing. */
const bookkeeping = new Set<string | symbol>([
  'constructor',
  'addInitializer',
  'createProperty',
  'finalize',
  'setValue',
  'callback',
  'requestUpdate',
]);
const isBookkeeping = (key: string | symbol) => bookkeeping.has(key) || /^(?:_\$|__)/.test(String(key));

/** Functions of the project that can be reached from an element: own and inherited members, what they hold, templates, shadow roots. */
function reachable(root: HTMLElement): { owner: object; fn: (...args: unknown[]) => unknown }[] {
  const found: { owner: object; fn: (...args: unknown[]) => unknown }[] = [];
  const queue: object[] = [root, ...everything(root.shadowRoot as ShadowRoot)];
  for (const element of [...queue]) {
    const { render } = element as { render?: () => unknown };
    if (render && element instanceof HTMLElement) queue.push({ drawn: render.call(element) });
  }
  const builtIn = new Set<object>([
    Object.prototype,
    Function.prototype,
    Array.prototype,
    Promise.prototype,
    Map.prototype,
    Set.prototype,
    WeakMap.prototype,
  ]);
  const known = new Set<object>(queue);
  const visit = (value: unknown) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || known.has(value) || builtIn.has(value)) return;
    if (value === window || value instanceof Document || (value instanceof Node && !inside(root, value))) return;
    known.add(value);
    queue.push(value);
  };
  for (let at = 0; at < queue.length && at < 50_000; at += 1) {
    const owner = queue[at] as object;
    if (owner instanceof Map || owner instanceof Set) for (const entry of owner) visit(entry);
    for (let level: object | null = owner; level && !builtIn.has(level); level = Object.getPrototypeOf(level) as object | null) {
      if (level instanceof EventTarget && Function.prototype.toString.call(level.constructor).includes('[native code]')) break;
      for (const key of Reflect.ownKeys(level)) {
        const { value, get } = Object.getOwnPropertyDescriptor(level, key) ?? {};
        let held: unknown = value;
        if (get && owner instanceof HTMLElement) {
          try {
            held = Reflect.apply(get, owner, []);
          } catch {
            continue;
          }
        }
        if (typeof held === 'function' && !isBookkeeping(key) && !Function.prototype.toString.call(held).includes('[native code]'))
          found.push({ owner, fn: held as (...args: unknown[]) => unknown });
        visit(held);
      }
    }
  }
  return found;
}

function inside(root: HTMLElement, node: Node): boolean {
  if (Object.hasOwn(node, 'constructor')) return false; // a prototype
  for (let at: Node | null = node; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) if (at === root) return true;
  return false;
}
