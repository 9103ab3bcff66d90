/** All that is spoken in a scenario, in order and word for word: what is new is said once, by one voice. */
import { expect } from '@open-wc/testing';
import { Announcer } from '../../src/elements/tool-chat-panel/announcer.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { armed } from './doing.js';
import { stage } from './helpers.js';
import { appears, deepText, everything, find, findAll, frame, part, said, until } from './looking.js';

const asked = user('u1', 'Go');
const running = (id: string) => assistant(id, [], 'running');
const begun = () => new FakeSurface({ isLoading: true, activities: ['streaming'], views: [asked, running('a1')] });
const ended = { isLoading: false, activities: [], isToolExecuting: false } as const;

/** A panel whose live regions are all listened to: the voice's sentences, and what any other region says beside them. */
async function listen(surface: FakeSurface) {
  const { panel } = await stage(surface);
  (document.activeElement as HTMLElement | null)?.blur();
  const others: string[] = [];
  const watched = new Set<Node>();
  const tell = (node: Node) => void (deepText(node).trim() && others.push(deepText(node).trim()));
  const isLoud = (node: Node | null): boolean => {
    const element = node instanceof Element ? node : node?.parentElement;
    const region = element?.closest('[aria-live], [role=status], [role=alert]');
    return Boolean(region && !region.matches('.said') && !element?.closest('[aria-live=off]'));
  };
  const observer = new MutationObserver((records) => {
    for (const { target } of records) if (isLoud(target)) tell(target);
    watch();
  });
  const watch = () => {
    for (const { shadowRoot: root } of [panel, ...everything(panel.shadowRoot as ShadowRoot)]) {
      if (!root || watched.has(root)) continue;
      watched.add(root);
      observer.observe(root, { subtree: true, childList: true, characterData: true });
      if (root !== panel.shadowRoot) root.querySelectorAll('[role=alert]').forEach(tell);
    }
  };
  watch();
  const change = (to: object) => {
    surface.set(to as Partial<ViewSnapshot>);
  };
  /** The answer of that id streams, and ends, as a whole. */
  const answer = async (id: string, text: string, before = surface.view.views.filter(({ message }) => message.id !== id)) => {
    if (!surface.view.views.some(({ message }) => message.id === id)) change({ isLoading: true, views: [...before, running(id)] });
    await until(() => surface.following(id) > 0, 'nobody follows');
    surface.stream(id, { text, end: true });
    await frame();
    change({ ...ended, state: 'idle', views: [...before, assistant(id, [text])] });
  };
  /** Exactly this was said, and nothing beside it. */
  const heard = async (...sentences: string[]) => {
    await until(() => said(panel).at(-1) === sentences.at(-1), `${JSON.stringify(said(panel))} is said, not ${String(sentences.at(-1))}`);
    observer.disconnect();
    expect(said(panel)).to.deep.equal(sentences);
    expect(others).to.deep.equal([]);
  };
  return { surface, panel, change, answer, heard, others };
}

describe('the log of what is spoken', () => {
  it('of a question from its first sign to the answer: the question, its end, the sentences, and nothing else', async () => {
    const { surface, panel, change, answer, heard } = await listen(begun());
    const calls = assistant('a1', [{ call: 'c1' }], 'running');
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { call: 'c1' });
    const result = { success: true, message: 'Gone' };
    for (const step of [
      { streamingText: 'x' },
      { activities: ['parsing'], views: [asked, calls], cards: { c1: card('c1', 'pending') } },
      { activities: ['awaitingApproval'], cards: { c1: card('c1', 'awaiting_approval') } },
      { activities: ['executing'], isToolExecuting: true, cards: { c1: card('c1', 'executing') } },
      { activities: [], isToolExecuting: false, state: 'tool_result' },
      { state: 'decide', cards: { c1: card('c1', 'success', { call: call('c1'), result: result as never }) } },
    ]) {
      change(step);
      await panel.updateComplete;
      const now = surface.view.cards['c1']?.status;
      if (now) await appears(panel, `[data-status=${now}]`);
      if (now === 'awaiting_approval') await armed(panel, part('deny-button'));
    }
    await answer('a2', 'It is deleted. Anything else?', [asked, assistant('a1', [{ call: 'c1' }])]);
    await heard(
      en.saidAsks(`删除任务. ${en.riskDanger}. task_id = task_7`),
      `${en.saidFinished('删除任务')}. Gone`,
      en.saidAnswer('It is deleted.'),
      'Anything else?',
    );
  });

  it('of an error: what went wrong and what helps, once; of the retry, the answer', async () => {
    const { panel, change, answer, heard } = await listen(begun());
    const failure = { lines: [en.cannotReach, en.checkNetwork], canRetry: true, error: { code: 'CONNECT', message: en.cannotReach } };
    change({ ...ended, failure, error: en.cannotReach, views: [asked] });
    await until(() => said(panel).length > 0, 'nothing is said');
    // Drawn again for another reason: nothing new.
    change({ failure: { ...failure, lines: [...failure.lines] } });
    await panel.updateComplete;
    change({ failure: undefined, error: null });
    await answer('a2', 'Here you are.');
    await heard(en.saidError(`${en.cannotReach} ${en.checkNetwork}`), en.saidAnswer('Here you are.'));
  });

  it('of a stop: what has come so far, and that it was stopped', async () => {
    const { surface, change, heard } = await listen(begun());
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { text: 'It was', end: true });
    const cut = assistant('a1', ['It was']);
    const stopped = { ...cut, note: en.answerStopped, message: { ...cut.message, status: { type: 'cancelled' } } };
    change({ ...ended, views: [asked, stopped] });
    await heard(en.saidAnswer('It was'), en.answerStopped);
  });

  it('of an answer: its words when it has ended, not its marks and addresses', async () => {
    const text = 'See [the docs](https://a.test/x?y=1) and **https://long.example/path/to?z=2#k** now.\n\n```js\ncode()\n```\n\n- Done';
    const { surface, panel, answer, heard } = await listen(begun());
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { text: 'See ' });
    await frame();
    expect(said(panel)).to.deep.equal([]);
    await answer('a1', text);
    await heard(en.saidAnswer('See the docs and long.example now.'), 'code()', 'Done');
  });

  it('hears a region that speaks beside the voice; the list itself is silent', async () => {
    const { panel, others } = await listen(begun());
    expect(find(panel, '[role=log]')?.getAttribute('aria-live')).to.equal('polite');
    expect(find(panel, '.list')?.getAttribute('aria-live')).to.equal('off');
    expect(findAll(panel, '[role=alert], [role=status], [aria-live=assertive]')).to.have.length(0);
    const region = Object.assign(document.createElement('p'), { role: 'alert' });
    panel.shadowRoot?.append(region);
    region.textContent = 'Twice';
    await until(() => others.length > 0, 'it is not heard');
    expect(others).to.deep.equal(['Twice']);
  });
});

describe('the announcer', () => {
  const numbers = Array.from({ length: 30 }, (_, at) => `Sentence ${String(at + 1)}.`);

  /** A region, what the platform was given, and how often the region changed. */
  function voice(takesSentences: boolean) {
    const given: string[] = [];
    const region = document.createElement('div');
    // Where the browser has it, it is covered: nothing is to be said by the platform of the test.
    Object.defineProperty(region, 'ariaNotify', { value: takesSentences ? (text: string) => void given.push(text) : undefined });
    document.body.append(region);
    const sizes: number[] = [];
    new MutationObserver(() => sizes.push(region.childElementCount)).observe(region, { childList: true });
    return {
      announcer: new Announcer(region),
      region,
      given,
      sizes,
      lines: () => [...region.children].map(({ textContent }) => textContent),
    };
  }

  it('gives a platform that queues sentences all of an answer at once, in order, and changes the page once for it', async () => {
    const { announcer, region, given, sizes, lines } = voice(true);
    announcer.sayAll(numbers.join(' '), 'en');
    await until(() => sizes.length > 0, 'nothing is said');
    expect([given, lines(), sizes, region.ariaLive]).to.deep.equal([numbers, numbers.slice(-12), [12], 'off']);
    announcer.say('One more.');
    await until(() => sizes.length > 1, 'what comes later is not said');
    expect([given.at(-1), lines().at(-1)]).to.deep.equal(['One more.', 'One more.']);
    announcer.clear();
    expect(lines()).to.deep.equal([]);
    region.remove();
  });

  it('writes one sentence after the other where a live region is all there is', async () => {
    const { announcer, region, sizes, lines } = voice(false);
    announcer.sayAll('One. Two. Three.', 'en');
    await until(() => sizes.length === 3, 'three sentences are not said');
    expect([sizes, lines(), region.ariaLive]).to.deep.equal([[1, 2, 3], ['One.', 'Two.', 'Three.'], 'polite']);
    region.remove();
  });
});
