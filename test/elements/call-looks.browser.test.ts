/** How the line of a call looks from its first sign to its result, beside what the assistant says. */
import { expect } from '@open-wc/testing';
import type { CardView } from '../../src/model/calls.js';
import { en, wholeEnglish } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { behind, contrastOn } from '../demo/colours.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { appears, armed, atRest, deepText, find, findAll, part, pretend, stage, until, waiting } from './helpers.js';

const rows = [{ title: 'Milk' }, { title: 'Rice' }];
const result = (success: boolean) => ({
  ...{ requestId: 'c1', toolName: 'create_task', success, status: success ? 'success' : 'error', result: '', durationMs: 123 },
  ...{ message: success ? 'Created' : 'The title is missing', ...(success && { data: rows }) },
});
const named = { toolName: 'create_task', label: 'Create task' };
const showing = (one: CardView) =>
  new FakeSurface({ views: [user('u1', 'Go'), assistant('a1', ['Here it is.', { call: 'c1' }])], cards: { c1: one } });
const words = (element: Element) => deepText(element).replace(/\s+/g, ' ');

describe('the line of a call', () => {
  before(() => wholeEnglish());

  for (const theme of ['light', 'dark'] as const)
    it(`has a sign, and a result of a tint of its own that can be read (S2-73): ${theme}`, async () => {
      const { panel } = await stage(showing(card('c1', 'success', { ...named, call: call('c1', named), result: result(true) } as never)));
      panel.theme = theme;
      const line = await appears(panel, '[data-status=success]');
      expect(line.querySelector('.badge svg')?.checkVisibility()).to.equal(true);
      expect(line.querySelector('.badge img, .avatar')).to.equal(null);
      (await appears(panel, `${part('tool-card-result')} summary`)).click();
      const data = await appears(panel, part('call-details'));
      await appears(panel, 'td');
      await atRest(panel);
      const answer = await appears(panel, '.text');
      expect(behind(data)).not.to.deep.equal(behind(answer));
      for (const cell of [...findAll(panel, 'th, .row-of-data td'), line.querySelector('.label'), line.querySelector('.told')])
        expect(contrastOn(cell as Element, getComputedStyle(cell as Element).color)).to.be.at.least(4.5);
    });

  for (const success of [true, false])
    it(`says under its details what the tool is called, that it ${success ? 'worked' : 'failed'}, and how many milliseconds it took (S2-74)`, async () => {
      const { panel } = await stage(
        showing(card('c1', success ? 'success' : 'error', { ...named, call: call('c1', named), result: result(success) } as never)),
      );
      await appears(panel, `[data-status=${success ? 'success' : 'error'}]`);
      const facts = await appears(panel, '.state');
      expect(words(facts))
        .to.include('create_task')
        .and.include('123 ms')
        .and.include(success ? en.toolFinished : en.toolFailed);
    });

  it('turns in the message while the call still arrives (S2-77)', async () => {
    const { panel } = await stage(
      showing(card('c1', 'pending', { toolName: 'create_task', label: 'Create task', params: { title: 'Mi' } })),
    );
    const line = await appears(panel, '[data-status=pending]');
    const spinner = line.querySelector('.spinner') as Element;
    expect(spinner.checkVisibility()).to.equal(true);
    expect([getComputedStyle(spinner).animationName, spinner.getAnimations()[0]?.playState]).to.deep.equal(['turn', 'running']);
    expect(words(line)).to.include(en.readingCall);
    expect((line.getRootNode() as ShadowRoot).host.parentElement?.closest('[part~=message-tool]')).not.to.equal(null);
  });

  it('asks in the message, below what it is about: the buttons stand under the block (S2-78)', async () => {
    const { panel } = await stage(waiting({ sentence: 'Delete the task “Milk”' }));
    const allow = await armed(panel, part('approve-button'));
    const deny = await armed(panel, part('deny-button'));
    const message = find(panel, part('message-assistant')) as Element;
    const heading = find(panel, '#heading') as Element;
    const box = message.getBoundingClientRect();
    for (const button of [allow, deny]) {
      const rect = button.getBoundingClientRect();
      expect(rect.top).to.be.at.least(heading.getBoundingClientRect().bottom);
      expect([rect.top >= box.top, rect.bottom <= box.bottom, rect.left >= box.left, rect.right <= box.right]).to.deep.equal(
        Array(4).fill(true),
      );
    }
  });

  it('says that it runs, and a light goes over it, but for whoever wants no motion (S2-79)', async () => {
    const { panel } = await stage(showing(card('c1', 'executing', { ...named, call: call('c1', named) })), { texts: zhCN, lang: 'zh-CN' });
    const line = await appears(panel, '[data-status=executing]');
    await until(() => words(line).includes('执行中...'), 'it does not say that it runs');
    const light = () => getComputedStyle(line, '::after');
    expect([light().animationName, light().animationIterationCount]).to.deep.equal(['sweep', 'infinite']);
    expect(parseFloat(light().animationDuration)).to.be.above(1);
    const undo = pretend(panel, 'prefers-reduced-motion');
    expect([parseFloat(light().animationDuration) < 0.001, light().animationIterationCount]).to.deep.equal([true, '1']);
    undo();
  });
});
