/** All that is spoken in a scenario, in order and word for word: what is new is said once, by one voice. */
import { expect } from '@open-wc/testing';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { appears, click, deepText, everything, find, findAll, part, stage, until } from './helpers.js';

/** A panel whose live regions are all listened to: the voice's sentences, and what any other region says beside them. */
async function listen(surface: FakeSurface) {
  const { panel } = await stage(surface);
  (document.activeElement as HTMLElement | null)?.blur();
  const others: string[] = [];
  const watched = new Set<Node>();
  const isLoud = (node: Node | null): boolean => {
    const element = node instanceof Element ? node : node?.parentElement;
    const region = element?.closest('[aria-live], [role=status], [role=alert]');
    return Boolean(
      region && region.getAttribute('aria-live') !== 'off' && !region.matches('.said') && !element?.closest('[aria-live=off]'),
    );
  };
  const hear = (records: MutationRecord[]) => {
    for (const { target } of records) if (isLoud(target) && deepText(target).trim()) others.push(deepText(target).trim());
    watch();
  };
  const observer = new MutationObserver(hear);
  const watch = () => {
    for (const element of [panel, ...everything(panel.shadowRoot as ShadowRoot)]) {
      const root = element.shadowRoot;
      if (!root || watched.has(root)) continue;
      watched.add(root);
      observer.observe(root, { subtree: true, childList: true, characterData: true });
      if (element === panel) continue;
      for (const region of root.querySelectorAll('[role=alert]')) if (deepText(region).trim()) others.push(deepText(region).trim());
    }
  };
  watch();
  const said = () => [...(find(panel, '.said')?.children ?? [])].map(({ textContent }) => textContent);
  const says = (last: string) => until(() => said().at(-1) === last, `last said: ${JSON.stringify(said())}, not ${last}`);
  return { panel, said, says, others, done: () => observer.disconnect() };
}

const asked = user('u1', 'Go');
const running = (id: string) => assistant(id, [], 'running');
const begun = () => new FakeSurface({ isLoading: true, activities: ['streaming'], views: [asked, running('a1')] });
const change = (surface: FakeSurface, to: object) => {
  surface.set(to as Partial<ViewSnapshot>);
};

describe('the log of what is spoken', () => {
  it('of two questions: one sentence for each with object and risk, one for each end, then the answer', async () => {
    const surface = begun();
    const { panel, said, says, others, done } = await listen(surface);
    const calls = assistant('a1', [{ call: 'c1' }, { call: 'c2' }], 'running');
    const waits = (id: string, name: string) =>
      card(id, 'awaiting_approval', {
        call: call(id, { label: 'Delete a task', args: { name } }),
        sentence: `Delete the task “${name}”`,
      } as never);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { call: 'c1' });
    surface.stream('a1', { call: 'c2' });
    change(surface, { activities: ['parsing'], views: [asked, calls], cards: { c1: card('c1', 'pending'), c2: card('c2', 'pending') } });
    await panel.updateComplete;
    change(surface, { activities: ['awaitingApproval'], cards: { c1: waits('c1', 'Milk'), c2: waits('c2', 'Bread') } });
    await until(() => said().length >= 2, `not asked: ${JSON.stringify(said())}`);
    const ended = (id: string, name: string) => ({ ...waits(id, name), status: 'success', result: { success: true, message: 'Gone' } });
    change(surface, { activities: ['executing'], isToolExecuting: true, cards: { c1: ended('c1', 'Milk'), c2: waits('c2', 'Bread') } });
    change(surface, {
      activities: [],
      isToolExecuting: false,
      cards: { c1: ended('c1', 'Milk'), c2: { ...waits('c2', 'Bread'), status: 'denied' } },
    });
    await appears(panel, '[data-status=denied]');
    change(surface, { views: [asked, assistant('a1', [{ call: 'c1' }, { call: 'c2' }]), running('a2')] });
    await until(() => surface.following('a2') > 0, 'nobody follows');
    surface.stream('a2', { text: 'One is gone.', end: true });
    change(surface, { isLoading: false, state: 'idle', views: [...surface.view.views.slice(0, 2), assistant('a2', ['One is gone.'])] });
    await says(en.saidAnswer('One is gone.'));
    expect(said()).to.deep.equal([
      en.saidAsks(`Delete a task. ${en.riskDanger}. name = Milk`),
      en.saidAsks(`Delete a task. ${en.riskDanger}. name = Bread`),
      `${en.saidFinished('Delete a task')}. Gone`,
      `Delete a task: ${en.declined}`,
      en.saidAnswer('One is gone.'),
    ]);
    expect(others).to.deep.equal([]);
    done();
  });

  it('of an error: what went wrong and what helps, once; of the retry, the answer', async () => {
    const surface = begun();
    const { panel, said, says, others, done } = await listen(surface);
    const failure = { lines: [en.cannotReach, en.checkNetwork], canRetry: true, error: { code: 'CONNECT', message: en.cannotReach } };
    change(surface, { isLoading: false, activities: [], failure, error: en.cannotReach, views: [asked] });
    await says(en.saidError(`${en.cannotReach} ${en.checkNetwork}`));
    // Drawn again for another reason: nothing new.
    change(surface, { failure: { ...failure, lines: [...failure.lines] } });
    await panel.updateComplete;
    change(surface, { isLoading: true, activities: ['streaming'], failure: undefined, error: null, views: [asked, running('a2')] });
    await until(() => surface.following('a2') > 0, 'nobody follows');
    surface.stream('a2', { text: 'Here you are.', end: true });
    change(surface, { isLoading: false, activities: [], views: [asked, assistant('a2', ['Here you are.'])] });
    await says(en.saidAnswer('Here you are.'));
    expect(said()).to.deep.equal([en.saidError(`${en.cannotReach} ${en.checkNetwork}`), en.saidAnswer('Here you are.')]);
    expect(others).to.deep.equal([]);
    done();
  });

  it('of a stop: what has come so far, and that it was stopped', async () => {
    const surface = begun();
    const { said, says, others, done } = await listen(surface);
    await until(() => surface.following('a1') > 0, 'nobody follows');
    surface.stream('a1', { text: 'It was', end: true });
    const cut = assistant('a1', ['It was']);
    change(surface, {
      isLoading: false,
      activities: [],
      views: [asked, { ...cut, note: en.answerStopped, message: { ...cut.message, status: { type: 'cancelled' } } }],
    });
    await says(en.answerStopped);
    expect(said()).to.deep.equal([en.saidAnswer('It was'), en.answerStopped]);
    expect(others).to.deep.equal([]);
    done();
  });

  it('of another conversation: which one, and none of its messages', async () => {
    const kept = [
      { id: 'a', title: 'Now', updatedAt: Date.now(), isOpen: true },
      { id: 'b', title: 'Holidays', updatedAt: Date.now(), isOpen: false },
    ];
    const surface = new FakeSurface({ views: [asked, assistant('a1', ['Hello.'])] });
    surface.conversations = {
      kept: true,
      listConversations: () => Promise.resolve(kept),
      openConversation: () => {
        change(surface, {
          views: [user('u9', 'Sea?'), assistant('a9', ['Mountains.']), assistant('a10', [{ call: 'c9' }])],
          cards: { c9: card('c9', 'success') },
        });
        return Promise.resolve();
      },
    } as never;
    const { panel, said, says, others, done } = await listen(surface);
    await click(await appears(panel, part('history-button')));
    await appears(panel, part('history-item'));
    const [, other] = findAll(panel, part('history-item'));
    await click(other?.matches('button') ? other : (other?.querySelector('button') as HTMLElement));
    await says(en.historyOpened('Holidays'));
    await until(() => deepText(panel.shadowRoot as ShadowRoot).includes('Mountains.'), 'the other conversation');
    expect(said()).to.deep.equal([en.historyOpened('Holidays')]);
    expect(others).to.deep.equal([]);
    done();
  });

  it('hears a region that speaks beside the voice', async () => {
    const { panel, others, done } = await listen(begun());
    const region = document.createElement('p');
    region.role = 'alert';
    panel.shadowRoot?.append(region);
    region.textContent = 'Twice';
    await until(() => others.length > 0, 'it is not heard');
    expect(others).to.deep.equal(['Twice']);
    done();
  });
});
