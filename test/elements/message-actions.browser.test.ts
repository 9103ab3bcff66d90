/** What can be done with a message: versions and feedback. */
import { expect } from '@open-wc/testing';
import { sendKeys, sendMouse } from '@web/test-runner-commands';
import { en } from '../../src/i18n/en.js';
import type { MessageView } from '../../src/model/snapshot.js';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { appears, find, findAll, middle, part, stage, until } from './helpers.js';

const at = new Date(2026, 2, 4, 12, 4).getTime();
const timed = (view: MessageView, more: Partial<MessageView> = {}): MessageView => ({
  ...view,
  message: { ...view.message, createdAt: at },
  ...more,
});
const views = (more: Partial<MessageView> = {}) => [
  timed(user('u1', 'Go'), { canEdit: true }),
  timed(assistant('a1', ['Done.']), { canRegenerate: true, ...more }),
];
const active = (panel: Element): Element | null => {
  let now = panel.shadowRoot?.activeElement ?? null;
  while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement;
  return now;
};
/** As somebody who comes by keyboard. */
async function awake(surface: FakeSurface) {
  const staged = await stage(surface);
  (find(staged.panel, '.messages') as HTMLElement).focus();
  await appears(staged.panel, part('feedback-button'));
  return staged;
}

describe('what can be done with a message', () => {
  afterEach(() => sendMouse({ type: 'move', position: [0, 0] }));

  it('is drawn once somebody comes near, and is reached by Tab in the order it is read', async () => {
    const { panel } = await awake(new FakeSurface({ views: views() }));
    const parts: string[] = [];
    for (let step = 0; step < 5; step += 1) {
      await sendKeys({ press: 'Tab' });
      parts.push(active(panel)?.getAttribute('part') ?? '');
    }
    expect(parts).to.deep.equal(['edit-message-button', 'copy-button', 'regenerate-button', 'feedback-button', 'feedback-button']);
  });

  it('comes with the pointer, and moves nothing', async () => {
    const { panel } = await stage(new FakeSurface({ views: views() }));
    const bubble = find(panel, part('message-user')) as HTMLElement;
    const before = find(panel, part('message-assistant'))!.getBoundingClientRect();
    const [x, y] = middle(bubble);
    await sendMouse({ type: 'move', position: [x, y] });
    await appears(panel, part('feedback-button'));
    const after = find(panel, part('message-assistant'))!.getBoundingClientRect();
    expect([after.top, after.height]).to.deep.equal([before.top, before.height]);
  });

  it('shows which version it is, and what of the others stays done', async () => {
    const branch = { from: 'u1', at: 2, of: 3, previous: 1, next: 4, stay: 2 };
    const surface = new FakeSurface({ views: views({ branch }) });
    const { panel } = await stage(surface);
    const picker = await appears(panel, part('branch-picker'));
    expect(picker.getAttribute('aria-label')).to.equal(en.versionOf(2, 3));
    expect(find(panel, '.stay')!.textContent.trim()).to.equal('2 actions of the earlier versions stay done');
    for (const button of picker.querySelectorAll('button')) button.click();
    expect(surface.asked).to.deep.equal(['switch u1 to 1', 'switch u1 to 4']);
    surface.set({ views: views({ branch: { from: 'u1', at: 1, of: 2, next: 2 } }) });
    await until(() => picker.querySelector('button')?.getAttribute('aria-disabled') === 'true', 'no way back');
    picker.querySelector('button')!.click();
    expect(surface.asked).to.have.length(2);
  });

  it('leads from a bad answer to where the page wants problems reported, a web address only', async () => {
    const { panel } = await awake(new FakeSurface({ views: views() }));
    Object.assign(panel, { feedbackUrl: 'https://example.org/report' });
    (findAll(panel, part('feedback-button')) as HTMLElement[])[1]!.click();
    const link = await appears<HTMLAnchorElement>(panel, '.reason a');
    expect(link.textContent).to.equal('Report a problem');
    expect(link.href).to.equal('https://example.org/report');
    Object.assign(panel, { feedbackUrl: 'data:text/html,no' });
    await until(() => find(panel, '.reason a') === undefined, 'it is still a link');
  });

  it('takes a thumb with a reason, and takes it back when it is pressed again', async () => {
    const surface = new FakeSurface({ views: views() });
    const { panel } = await awake(surface);
    const [up, down] = findAll(panel, part('feedback-button')) as HTMLElement[];
    down!.click();
    const field = (await appears(panel, '.reason textarea')) as HTMLTextAreaElement;
    await until(() => active(panel) === field, 'the focus in the field');
    await sendKeys({ type: 'wrong' });
    find(panel, '.reason')!.querySelector<HTMLElement>('[type=submit]')!.click();
    expect(surface.asked).to.deep.equal(['rate a1 down', 'rate a1 down wrong']);
    const [one, two] = views();
    two!.message.metadata.feedback = { value: 'up' };
    surface.set({ views: [one!, two!] });
    await until(() => up!.getAttribute('aria-pressed') === 'true', 'the thumb is set');
    up!.click();
    expect(surface.asked.at(-1)).to.equal('rate a1 no more');
  });
});
