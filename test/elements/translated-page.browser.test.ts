/** Page translation replaces text nodes, also in shadow roots: a card goes on showing what runs, and allows nothing else. */
import { expect } from '@open-wc/testing';
import { armed, arms, click, isArmed, press } from './doing.js';
import { call, card } from './fake-surface.js';
import { several, stage, waiting } from './helpers.js';
import { everything, find, part, until, words } from './looking.js';

const ALLOW = part('approve-button');

/** As Chromium's translation does it: each text node gives way to elements with other words. */
function translate(panel: Element, { obeys }: { obeys: boolean }): void {
  const roots = [panel, ...everything(panel.shadowRoot as ShadowRoot)].flatMap(({ shadowRoot }) => shadowRoot ?? []);
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node as Text);
    for (const text of texts) {
      if (!text.data.trim() || text.parentElement?.closest('style') || (obeys && text.parentElement?.closest('[translate="no"]'))) continue;
      const outer = document.createElement('span');
      outer.append(document.createElement('span'));
      (outer.firstChild as Element).textContent = `¿${text.data}?`;
      text.replaceWith(outer);
    }
  }
}

const asked = (title: string, digest: string) =>
  call('c1', { sentence: `Create “${title}”`, args: { title, to: `${title}@example.org` }, digest, labels: { to: 'Send to' } });

describe('on a translated page', () => {
  it('a card leaves facts as they are, shows what they become, and runs that', async () => {
    const { panel, decided, surface } = await shown();
    translate(panel, { obeys: true });
    const facts = () => words(find(panel, '.facts'));
    expect(facts()).to.include('Create “milk”').and.include('milk@example.org').and.not.match(/¿milk/);
    expect(words(find(panel, '.risk')), 'the rest is translated').to.include('¿');
    surface.setCard(card('c1', 'awaiting_approval', { call: asked('tea', 'other') }));
    await until(() => facts().includes('Create “tea”') && facts().includes('tea@example.org'), `it still shows ${facts()}`);
    expect(facts()).to.not.include('milk');
    await press(find(panel, ALLOW) as Element);
    expect(decided.map(({ digest, verdict }) => [digest, verdict])).to.deep.equal([['other', 'allow']]);
  });

  it('a card whose facts were changed allows nothing, restores and says it, and is allowed after another look', async () => {
    const { panel, decided } = await shown();
    const allow = find(panel, ALLOW) as HTMLElement;
    translate(panel, { obeys: false });
    expect(words(find(panel, '.facts'))).to.include('¿milk@example.org?');
    await click(allow);
    expect(decided).to.deep.equal([]);
    await until(() => !words(find(panel, '.facts')).includes('¿milk'), 'it does not restore them');
    expect(words(find(panel, '.facts'))).to.include('milk@example.org');
    expect(words(find(panel, '.hint'))).to.include('such as a page translation');
    expect(isArmed(allow), 'it has to be looked at again').to.equal(false);
    await press(allow);
    expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['allow']);
  });

  it('several questions at once allow nothing, either, while one of them shows something else', async () => {
    const { panel, decided } = await stage(
      several(2, (id) => ({ args: { title: `real ${id}` } })),
      { height: 700 },
    );
    const all = (await armed(panel, part('approve-all-button'))) as HTMLElement;
    translate(panel, { obeys: false });
    await press(all);
    expect(decided).to.deep.equal([]);
    await until(() => !words(find(panel, '.facts')).includes('¿real'), 'it does not restore them');
    await press(all);
    expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['allow', 'allow']);
  });

  it('status, outcome and counts go on', async () => {
    const { panel, surface } = await shown();
    translate(panel, { obeys: true });
    const status = () => words(find(panel, '#status'));
    surface.set({ activities: ['streaming'], streamingText: 'x' });
    await until(() => status() === 'Answering' || (status() !== '' && !status().includes('¿')), `it says ${status()}`);
    surface.setCard(card('c1', 'executing', { call: asked('milk', 'one') }));
    await until(() => find(panel, '[data-status=executing] .label') !== undefined, 'it does not run');
    translate(panel, { obeys: true });
    surface.setCard(card('c1', 'success', { call: { ...asked('milk', 'one'), decidedBy: 'person' }, endedAt: Date.now() }));
    await until(() => words(find(panel, '[data-status=success] .meta')) !== '', 'it does not say who');
    const many = several(2);
    const batch = await stage(many);
    const all = await armed(batch.panel, part('approve-all-button'));
    translate(batch.panel, { obeys: true });
    await click(find(batch.panel, '.checkbox') as Element);
    await until(() => /^Allow 1\b/.test(words(all)), `it says ${words(all)}`);
  });

  async function shown() {
    const surface = waiting(asked('milk', 'one'));
    const { panel, decided } = await stage(surface);
    await arms(await armed(panel, ALLOW));
    return { panel, decided, surface };
  }
});
