/** One message: what is written, how an answer grows, what a model can answer with, and what can be done with it. */
import { expect } from '@open-wc/testing';
import { en } from '../../src/i18n/en.js';
import type { MessageView } from '../../src/model/snapshot.js';
import { assistant, card, FakeSurface, user } from './fake-surface.js';
import { click, composes, keys, mouse } from './doing.js';
import { stage } from './helpers.js';
import { appears, deepText, find, findAll, focused, frame, middle, part, until, words } from './looking.js';
import { chatWith, tool } from './tool-chat-stage.js';

/** An answer that is awaited, and followed by who draws it. */
async function streaming() {
  const views = [user('u1', 'Go'), assistant('a1', [], 'running')];
  const surface = new FakeSurface({ isLoading: true, activities: ['streaming'], views });
  const { panel } = await stage(surface);
  await until(() => surface.following('a1') > 0, 'nobody follows');
  const bubble = find(panel, part('message-assistant')) as HTMLElement;
  const say = (...texts: string[]) => {
    for (const text of texts) surface.stream('a1', { text });
  };
  const end = (...parts: Parameters<typeof assistant>[1]) => {
    surface.stream('a1', { end: true });
    surface.set({ isLoading: false, activities: [], views: [user('u1', 'Go'), assistant('a1', parts)] });
  };
  return { surface, panel, bubble, say, end };
}

describe('message', () => {
  it('keeps what the user wrote as it is', async () => {
    const text = '**not bold** <b>&amp;</b>\n  second line';
    const { panel } = await stage(new FakeSurface({ views: [user('u1', text)] }));
    const shown = find(panel, part('message-user')) as HTMLElement;
    expect(shown.textContent.trim()).to.equal(text);
    expect(shown.querySelector('b, strong')).to.equal(null);
  });

  it('folds what the user wrote where it is long, shows all of it at a press, and goes back to its beginning', async () => {
    for (const [text, isLong] of [
      ['word '.repeat(2000), true],
      ['  indented {\n'.repeat(30), true],
      ['word '.repeat(300), false],
    ] as const) {
      const { panel } = await stage(new FakeSurface({ views: [user('u1', text), assistant('a1', ['Yes'])] }));
      const bubble = find(panel, part('message-user')) as HTMLElement;
      const paragraph = bubble.querySelector('p') as HTMLElement;
      const isCut = () => paragraph.scrollHeight > paragraph.clientHeight + 2;
      const button = bubble.querySelector<HTMLElement>('button[aria-expanded]');
      expect([paragraph.textContent, button !== null, isCut()]).to.deep.equal([text, isLong, isLong]);
      if (!isLong) continue;
      button!.click();
      await until(() => !isCut() && words(button) === en.showLess && button!.ariaExpanded === 'true', 'it does not unfold');
      button!.click();
      const top = find(panel, part('messages'))!.getBoundingClientRect().top;
      await until(() => words(button) === en.showAll && bubble.getBoundingClientRect().bottom > top, 'its beginning is out of sight');
    }
  });

  it('stays where it is when an answer has ended: its buttons have their room before', async () => {
    const { surface, panel, say, end } = await streaming();
    const scroller = find(panel, part('messages')) as HTMLElement;
    const line = 'Some text. '.repeat(400);
    say(line);
    await until(() => scroller.scrollHeight > scroller.clientHeight * 2, 'it does not grow');
    await frame();
    await frame();
    const text = () => find(panel, '.text')!.getBoundingClientRect().bottom;
    const before = text();
    end(line);
    await appears(panel, part('copy-button'));
    await frame();
    await frame();
    expect(text()).to.be.closeTo(before, 1);
    expect(surface.asked).to.deep.equal([]);
  });

  it('formats an answer, and keeps its nodes when it has finished', async () => {
    const { surface, panel, bubble, say, end } = await streaming();
    say('It is **do', 'ne**.');
    surface.stream('a1', { end: true });
    await until(() => find(panel, 'strong')?.textContent === 'done', 'nothing is bold');
    const node = find(panel, 'strong');
    end('It is **done**.');
    await panel.updateComplete;
    await frame();
    const isSame = [find(panel, part('message-assistant')) === bubble, find(panel, 'strong') === node];
    expect([...isSame, surface.following('a1')]).to.deep.equal([true, true, 0]);
  });

  it('puts cards where their calls were written', async () => {
    const { surface, panel, bubble, say } = await streaming();
    surface.setCard(card('c1', 'pending'));
    say('Before');
    surface.stream('a1', { call: 'c1' });
    say('After');
    await appears(panel, part('tool-card'));
    await until(() => new RegExp(`Before.*${en.readingCall}.*After`).test(words(bubble)), 'they are in another order');
  });

  it('shows what the finished message says where the stream said something else', async () => {
    const { panel, say, end } = await streaming();
    say('raw');
    end('polished');
    await until(() => deepText(panel).includes('polished'), 'the text is not replaced');
    expect(deepText(panel)).not.to.include('raw');
  });

  it('folds reasoning before the answer', async () => {
    const { surface, panel } = await streaming();
    const fold = find<HTMLDetailsElement>(panel, part('reasoning')) as HTMLDetailsElement;
    expect(fold.checkVisibility()).to.equal(false);
    for (const reasoning of ['Let me ', 'see.']) surface.stream('a1', { reasoning });
    await until(() => fold.checkVisibility(), 'the fold does not appear');
    expect(fold.open).to.equal(false);
    expect(deepText(fold)).to.include(en.reasoning).and.to.include('Let me see.');
  });

  it('asks to continue an answer that was too long', async () => {
    const surface = new FakeSurface({ views: [{ ...assistant('a1', ['…']), note: en.answerTooLong, canContinue: true }] });
    const { panel } = await stage(surface);
    expect(deepText(panel)).to.include(en.answerTooLong);
    find(panel, part('continue-button'))?.click();
    expect(surface.asked).to.deep.equal(['continue']);
  });

  it('says that copying is not allowed where the browser forbids it', async () => {
    const { writeText } = navigator.clipboard;
    navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'));
    // Over the document's own, so that taking it away brings that back.
    Object.defineProperty(document, 'execCommand', { configurable: true, value: () => false });
    const { panel } = await stage(new FakeSurface({ views: [assistant('a1', ['Hello.'])] }));
    (await appears(panel, part('copy-button'))).click();
    await until(() => words(find(panel, '.hint')).includes('Select the text'), 'it says nothing').finally(() => {
      navigator.clipboard.writeText = writeText;
      Reflect.deleteProperty(document, 'execCommand');
    });
  });

  it('has its time, and a day stands between two days', async () => {
    const at = (one: MessageView, day: number) => ({
      ...one,
      message: { ...one.message, createdAt: new Date(2026, 2, day, 12, 4).getTime() },
    });
    const views = [at(user('1', 'One'), 2), at(assistant('2', ['Yes']), 2), at(user('3', 'Two'), 3), user('4', 'of no time')];
    const { panel } = await stage(new FakeSurface({ views }));
    await until(() => findAll(panel, 'time').length === 3, 'no times');
    expect(find(panel, 'time')?.textContent).to.equal('12:04 PM');
    expect(findAll(panel, '.day').map((one) => one.textContent)).to.deep.equal(['Tuesday, March 3']);
  });
});

describe('what can be done with a message', () => {
  const createdAt = new Date(2026, 2, 4, 12, 4).getTime();
  const timed = (view: MessageView, more: Partial<MessageView>): MessageView => ({
    ...view,
    message: { ...view.message, createdAt },
    ...more,
  });
  const views = (more: Partial<MessageView> = {}) => [
    timed(user('u1', 'Go'), { canEdit: true }),
    timed(assistant('a1', ['Done.']), { canRegenerate: true, ...more }),
  ];
  /** As somebody who comes by keyboard. */
  async function awake(surface = new FakeSurface({ views: views() })) {
    const { panel } = await stage(surface);
    (find(panel, '.messages') as HTMLElement).focus();
    await appears(panel, part('feedback-button'));
    return { surface, panel, thumbs: findAll(panel, part('feedback-button')) as [HTMLElement, HTMLElement] };
  }

  it('comes with the pointer or the keyboard, moves nothing, and is reached by Tab in the order it is read', async () => {
    const { panel } = await stage(new FakeSurface({ views: views() }));
    const place = () => find(panel, part('message-assistant'))!.getBoundingClientRect().toJSON() as object;
    const before = place();
    await mouse({ type: 'move', position: middle(find(panel, part('message-user')) as HTMLElement) });
    await appears(panel, part('feedback-button'));
    expect(place()).to.deep.equal(before);
    await awake();
    const parts: string[] = [];
    for (let step = 0; step < 5; step += 1) {
      await keys('Tab');
      parts.push(focused()?.getAttribute('part') ?? '');
    }
    expect(parts).to.deep.equal(['edit-message-button', 'copy-button', 'regenerate-button', 'feedback-button', 'feedback-button']);
  });

  it('shows which version it is, and what of the others stays done', async () => {
    const surface = new FakeSurface({ views: views({ branch: { from: 'u1', at: 2, of: 3, previous: 1, next: 4, stay: 2 } }) });
    const { panel } = await stage(surface);
    const picker = await appears(panel, part('branch-picker'));
    expect(picker.getAttribute('aria-label')).to.equal(en.versionOf(2, 3));
    expect(words(find(panel, '.stay'))).to.equal('2 actions of earlier versions were not undone');
    for (const button of picker.querySelectorAll('button')) button.click();
    expect(surface.asked).to.deep.equal(['switch u1 to 1', 'switch u1 to 4']);
    surface.set({ views: views({ branch: { from: 'u1', at: 1, of: 2, next: 2 } }) });
    await until(() => picker.querySelector('button')?.getAttribute('aria-disabled') === 'true', 'no way back');
    picker.querySelector('button')!.click();
    expect(surface.asked).to.have.length(2);
  });

  it('takes a thumb with a reason, leads to where the page wants problems reported, and takes it back when it is pressed again', async () => {
    const { surface, panel, thumbs } = await awake();
    const [up, down] = thumbs;
    panel.feedbackUrl = 'https://example.org/report';
    down.click();
    const link = await appears<HTMLAnchorElement>(panel, '.reason a');
    expect([link.textContent, link.href]).to.deep.equal(['Report a problem', 'https://example.org/report']);
    panel.feedbackUrl = 'data:text/html,no';
    await until(() => find(panel, '.reason a') === undefined, 'it is still a link');
    const field = await appears(panel, '.reason textarea');
    await until(() => focused() === field, 'the focus in the field');
    await keys('type: wrong');
    composes(field);
    find(panel, '.reason [type=submit]')!.click();
    expect(surface.asked).to.deep.equal(['rate a1 down', 'rate a1 down wrong']);
    const [one, two] = views() as [MessageView, MessageView];
    two.message.metadata.feedback = { value: 'up' };
    surface.set({ views: [one, two] });
    await until(() => up.getAttribute('aria-pressed') === 'true', 'the thumb is set');
    up.click();
    expect(surface.asked.at(-1)).to.equal('rate a1 no more');
  });
});

describe('a message of a conversation', () => {
  const FIELD = 'textarea[aria-label="Edit message"]';
  const said = (chat: Element) => findAll(chat, part('message')).map((message) => words(message.querySelector('p, .body') ?? message));

  async function talk(...turns: string[]) {
    const { chat, model } = await chatWith([tool('note', { risk: 'write' })]);
    for (const [at, answer] of turns.entries()) await model.turn(['One', 'Two'][at] as string, answer);
    const shows = async (...texts: string[]) => {
      await until(() => said(chat).at(-1) === texts.at(-1), said(chat).join(' | '));
      expect(said(chat)).to.deep.equal(texts);
    };
    return { chat, model, shows };
  }

  it('is asked for anew, the last answer only', async () => {
    const { chat, model, shows } = await talk('First answer', 'Second answer');
    await click(await appears(chat, part('regenerate-button')));
    expect(findAll(chat, part('regenerate-button')).length).to.be.at.most(1);
    const { body } = await model.reply('Another answer');
    expect(JSON.stringify(body)).to.contain('Two').and.to.not.contain('Second answer');
    await shows('One', 'First answer', 'Two', 'Another answer');
  });

  it('is said otherwise, and what followed goes; Escape leaves it, with the focus where it was', async () => {
    const { chat, model, shows } = await talk('First answer', 'Second answer');
    await click(findAll(chat, part('edit-message-button'))[0] as Element);
    const field = await appears<HTMLTextAreaElement>(chat, FIELD);
    await until(() => field.value === 'One', field.value);
    await keys('type: x', 'Escape');
    await until(() => !find(chat, 'tool-chat-rewrite'), 'the field stays');
    await until(() => focused()?.part.contains('edit-message-button') === true, 'the focus is elsewhere');
    await shows('One', 'First answer', 'Two', 'Second answer');
    await click(focused() as Element);
    await until(() => find<HTMLTextAreaElement>(chat, FIELD)?.value === 'One', 'no field');
    const again = find(chat, FIELD) as HTMLTextAreaElement;
    composes(again);
    expect(again.isConnected).to.equal(true);
    await keys('type:  more', 'Enter');
    const { body } = await model.reply('Third answer');
    expect(JSON.stringify(body)).to.contain('One more').and.to.not.contain('Two');
    await shows('One more', 'Third answer');
  });
});
