import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import type { ToolChatComposer } from '../../src/elements/tool-chat-composer/tool-chat-composer.js';
import { FakeSurface, user } from './fake-surface.js';
import { cannotHoldKeys, find, findAll, part, stage } from './helpers.js';

// No letter twice in a row: WebKit's driver swallows the second.
async function write(surface: FakeSurface, text: string) {
  const { panel } = await stage(surface);
  const field = find<HTMLTextAreaElement>(panel, 'textarea') as HTMLTextAreaElement;
  panel.focus();
  if (text) await sendKeys({ type: text });
  const composer = find<ToolChatComposer>(panel, 'tool-chat-composer') as ToolChatComposer;
  await composer.updateComplete;
  const button = (name: string) => find<HTMLButtonElement>(panel, part(name));
  return { panel, field, composer, button };
}

const busy = (activities: FakeSurface['view']['activities']) => new FakeSurface({ isLoading: true, activities });

describe('composer', () => {
  it('sends by Enter, and is empty then', async () => {
    const surface = new FakeSurface();
    const { field, composer } = await write(surface, ' thanks ');
    await sendKeys({ press: 'Enter' });
    await composer.updateComplete;
    expect(surface.asked).to.deep.equal(['send thanks']);
    expect(field.value).to.equal('');
  });

  it('breaks the line by Shift+Enter', async function () {
    if (cannotHoldKeys) this.skip(); // no such command for WebKit, see helpers.ts
    const surface = new FakeSurface();
    const { field } = await write(surface, 'one');
    await sendKeys({ down: 'Shift' });
    await sendKeys({ press: 'Enter' });
    await sendKeys({ up: 'Shift' });
    await sendKeys({ type: 'two' });
    expect(field.value).to.equal('one\ntwo');
    expect(surface.asked).to.deep.equal([]);
  });

  for (const [what, init] of [
    ['while a composition goes on', { isComposing: true }],
    ['that ends a composition in Safari', { keyCode: 229 }],
  ] as const)
    it(`does not send by an Enter ${what}`, async () => {
      const surface = new FakeSurface();
      const { field } = await write(surface, 'ni hao');
      const key = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init });
      field.dispatchEvent(key);
      expect(surface.asked).to.deep.equal([]);
      expect(key.defaultPrevented).to.equal(false);
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      expect(surface.asked).to.deep.equal(['send ni hao']);
    });

  it('does not send nothing', async () => {
    const surface = new FakeSurface();
    const { button } = await write(surface, '   ');
    await sendKeys({ press: 'Enter' });
    expect(surface.asked).to.deep.equal([]);
    expect(button('send-button')?.disabled).to.equal(true);
  });

  it('lets people write while an answer runs, but not send; stop is there instead (S0-122)', async () => {
    const surface = busy(['streaming']);
    const { field, button } = await write(surface, 'next');
    await sendKeys({ press: 'Enter' });
    expect(field.value).to.equal('next');
    expect(button('send-button')?.disabled).to.equal(true);
    button('stop-button')?.click();
    expect(surface.asked).to.deep.equal(['stop']);
  });

  it('sends while the turn only waits for a person', async () => {
    const surface = busy(['awaitingApproval']);
    const { button } = await write(surface, 'never mind');
    expect(button('send-button')?.disabled).to.equal(false);
    button('send-button')?.click();
    expect(surface.asked).to.deep.equal(['send never mind']);
  });

  it('does not send while a tool runs beside a card that waits', async () => {
    const surface = busy(['awaitingApproval', 'executing']);
    await write(surface, 'never mind');
    await sendKeys({ press: 'Enter' });
    expect(surface.asked).to.deep.equal([]);
  });

  it('closes the field where the policy says so', async () => {
    const { panel, field, composer } = await write(busy(['streaming']), '');
    panel.whileBusy = 'disabled';
    await panel.updateComplete;
    await composer.updateComplete;
    expect(field.disabled).to.equal(true);
  });

  it('stays open for a person’s answer where the field is closed otherwise', async () => {
    const surface = busy(['awaitingApproval']);
    const { panel, field, composer } = await write(surface, '');
    panel.whileBusy = 'disabled';
    await panel.updateComplete;
    await composer.updateComplete;
    expect(field.disabled).to.equal(false);
  });

  it('queues where the policy says so; what waits is shown and can be taken back', async () => {
    const surface = busy(['streaming']);
    const { panel, field, composer } = await write(surface, 'later');
    panel.whileBusy = 'queue';
    await panel.updateComplete;
    await composer.updateComplete;
    await sendKeys({ press: 'Enter' });
    expect(surface.asked).to.deep.equal(['send later']);
    surface.set({ views: [user('u1', 'Hello')], queue: ['first', 'later'] });
    await panel.updateComplete;
    const [, remove] = findAll(panel, '.queued button');
    expect(remove?.getAttribute('aria-label')).to.equal('Do not send: later');
    remove?.click();
    await composer.updateComplete;
    expect(surface.asked[1]).to.equal('unqueue 1 later');
    expect(field.value, 'it can be written anew').to.equal('later');
  });

  it('offers to send the results there are, while other calls wait to be run (S3-22)', async () => {
    const surface = busy(['awaitingApproval']);
    const { panel } = await write(surface, '');
    expect(find(panel, '.send-results')).to.equal(undefined);
    surface.set({ canSendResults: true });
    await panel.updateComplete;
    find(panel, '.send-results')?.click();
    expect(surface.asked).to.deep.equal(['sendResults']);
  });

  it('keeps the draft over everything that changes', async () => {
    const surface = new FakeSurface();
    const { panel, field } = await write(surface, 'half thou');
    surface.set({ isLoading: true, activities: ['streaming'] });
    await panel.updateComplete;
    surface.set({ isLoading: false, activities: [] });
    const { parentNode } = panel;
    panel.remove();
    parentNode?.append(panel);
    await panel.updateComplete;
    expect(field.value).to.equal('half thou');
  });

  it('grows with its text, up to a limit', async () => {
    const { field, composer } = await write(new FakeSurface(), 'x');
    const height = async (lines: number) => {
      composer.draft = 'x\n'.repeat(lines);
      await composer.updateComplete;
      return (field.parentElement as HTMLElement).getBoundingClientRect().height;
    };
    const [one, four, many, more] = [await height(0), await height(3), await height(40), await height(400)];
    expect(four).to.be.above(one + 40);
    expect(many).to.be.above(four).and.to.equal(more);
  });

  it('sends a quick command by one press, before the first message only', async () => {
    const surface = new FakeSurface();
    const { panel, composer } = await write(surface, 'draft');
    panel.quickCommands = ['List tasks', 'Create one'];
    await panel.updateComplete;
    await composer.updateComplete;
    findAll(panel, part('quick-command'))[1]?.click();
    expect(surface.asked).to.deep.equal(['send Create one']);
    expect(composer.draft).to.equal('draft');
  });
});
