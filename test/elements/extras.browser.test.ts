/** What the composer does beyond writing and sending, and the chips and the menu beside it (S0-186 … S0-189, S0-193, Y-22). */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import type { ToolChatComposer } from '../../src/elements/tool-chat-composer/tool-chat-composer.js';
import { readPictures } from '../../src/elements/tool-chat-composer/pictures.js';
import { en } from '../../src/i18n/en.js';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { appears, click, find, findAll, part, stage, until, type PanelOptions } from './helpers.js';
import { answerByHand, chatOnPage } from './tool-chat-stage.js';

async function open(more: PanelOptions['more'] = {}, surface = new FakeSurface()) {
  const { panel } = await stage(surface, { more });
  const composer = find<ToolChatComposer>(panel, 'tool-chat-composer') as ToolChatComposer;
  const field = find<HTMLTextAreaElement>(panel, 'textarea') as HTMLTextAreaElement;
  const options = () => findAll(panel, '[role=option]').map((option) => option.querySelector('[dir]')?.textContent);
  panel.focus();
  return { surface, panel, composer, field, options };
}

/** A picture of one colour, as a file. */
async function picture(width = 40, height = 30, name = 'cat.png', type = 'image/png'): Promise<File> {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  canvas.getContext('2d')?.fillRect(0, 0, width, height);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, type);
  });
  return new File([blob as Blob], name, { type });
}

function drop(target: Element, kind: 'drop' | 'paste', files: readonly File[]): Event {
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  const event =
    kind === 'drop'
      ? new DragEvent('drop', { bubbles: true, composed: true, cancelable: true, dataTransfer: data })
      : new ClipboardEvent('paste', { bubbles: true, composed: true, cancelable: true, clipboardData: data });
  target.dispatchEvent(event);
  return event;
}

describe('pictures in the composer (S0-189)', () => {
  afterEach(() => resetMouse());

  for (const kind of ['drop', 'paste'] as const)
    it(`are added by ${kind}, shown, and sent with the next message once`, async () => {
      const { surface, panel, field } = await open({ attaches: true });
      const file = await picture();
      const event = drop(field, kind, [file]);
      if (kind === 'paste' && (event as ClipboardEvent).clipboardData?.files.length === 0) return; // Firefox takes no files into an event that a script makes
      expect(event.defaultPrevented).to.equal(true);
      const shown = await appears<HTMLImageElement>(panel, `${part('attachment')} img`);
      expect(shown.src).to.match(/^data:image\/png;base64,/);
      expect(shown.alt).to.equal('cat.png');
      await sendKeys({ type: 'this' });
      await sendKeys({ press: 'Enter' });
      await until(() => surface.asked.some((one) => one.startsWith('send ')), `nothing is sent of “${field.value}”`);
      expect(surface.asked.at(-1)).to.equal('send this and cat.png');
      await until(() => !find(panel, part('attachment')), 'the picture stays');
    });

  it('can be sent without a word, and removed before', async () => {
    const { surface, panel, composer, field } = await open({ attaches: true });
    drop(field, 'drop', [await picture(), await picture(40, 30, 'dog.png')]);
    await until(() => findAll(panel, part('attachment')).length === 2, 'not two pictures');
    await click(find(panel, `${part('attachment')} button`) as Element);
    await until(() => findAll(panel, part('attachment')).length === 1, 'the picture stays');
    await composer.updateComplete;
    await click(find(panel, part('send-button')) as Element);
    await until(() => surface.asked.length > 0, 'nothing is sent');
    expect(surface.asked).to.deep.equal(['send  and dog.png']);
  });

  it('are left to the page where the endpoint takes none', async () => {
    const { panel, field } = await open({ attaches: false });
    expect(find(panel, part('attach-button'))).to.equal(undefined);
    expect(drop(field, 'drop', [await picture()]).defaultPrevented).to.equal(false);
  });

  it('are four at most, are made smaller, and what is no picture is said', async () => {
    const files = await Promise.all(Array.from({ length: 5 }, () => picture(10, 10)));
    expect(await readPictures(files, 1)).to.have.property('problem', 'tooManyPictures');
    expect((await readPictures(files, 1)).pictures).to.have.lengthOf(3);
    expect(await readPictures([new File(['x'], 'x.pdf', { type: 'application/pdf' })], 0)).to.deep.equal({
      pictures: [],
      problem: 'onlyPictures',
    });
    expect(await readPictures([new File(['<svg/>'], 'x.svg', { type: 'image/svg+xml' })], 0)).to.have.property('problem', 'onlyPictures');
    expect(await readPictures([new File(['no picture'], 'x.png', { type: 'image/png' })], 0)).to.have.property(
      'problem',
      'pictureTooLarge',
    );
    const { pictures } = await readPictures([await picture(4000, 1000)], 0);
    const image = new Image();
    image.src = pictures[0]!.url;
    await image.decode();
    expect([image.naturalWidth, image.naturalHeight]).to.deep.equal([1568, 392]);
  });

  it('stand in the message that was sent, and nothing is fetched for those of elsewhere', async () => {
    const said = user('1', 'look');
    const attachments = [
      { type: 'image', name: 'own.png', url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'image', name: 'far.png', url: 'https://elsewhere.example/far.png' },
    ];
    const { panel } = await open({}, new FakeSurface({ views: [{ ...said, message: { ...said.message, attachments } }] }));
    await appears(panel, 'img[part]');
    const images = findAll<HTMLImageElement>(panel, 'img[part]');
    expect(images.map(({ alt }) => alt)).to.deep.equal(['own.png']);
    expect(find(panel, '.file')?.textContent).to.equal('far.png');
  });

  it('are offered by the widget where its wire carries them, and not where `attachments` is off', async () => {
    const chat = await chatOnPage({ endpoint: '/v1/chat/completions' });
    await appears(chat, part('attach-button'));
    chat.setAttribute('attachments', 'off');
    await until(() => !find(chat, part('attach-button')), 'it stays');
  });
});

describe('the list behind `/` (Y-22)', () => {
  afterEach(() => resetMouse());
  const views = Array.from({ length: 10 }, (_, at) => (at % 2 ? assistant(`m${at}`, [`Answer ${at}`]) : user(`m${at}`, `Question ${at}`)));

  it('offers ready messages and templates after ten messages, and writes what is chosen', async () => {
    const { field, options, surface } = await open(
      { quickCommands: ['Plan my day', 'What is late?'], templates: [{ label: 'Task', text: 'Do {what} today' }] },
      new FakeSurface({ views }),
    );
    await sendKeys({ type: '/' });
    await until(() => options().length === 3, 'not three');
    expect(options()).to.deep.equal(['Plan my day', 'What is late?', 'Task']);
    await sendKeys({ press: 'ArrowDown' });
    await sendKeys({ press: 'Enter' });
    await until(() => field.value === 'What is late?', `“${field.value}” is written`);
    expect(surface.asked.filter((one) => one.startsWith('send'))).to.deep.equal([]);
  });

  it('closes by Escape, and leaves a `/` inside of a text alone', async () => {
    const { panel, field, options } = await open({ quickCommands: ['Plan my day'] });
    await sendKeys({ type: '/' });
    await until(() => options().length === 1, 'no list');
    await sendKeys({ press: 'Escape' });
    await until(() => !find(panel, '[role=listbox]'), 'the list stays');
    await sendKeys({ type: 'a/b' });
    expect(field.value).to.equal('a/b');
    expect(options()).to.deep.equal([]);
  });

  it('is not there where nothing stands ready', async () => {
    const { field, options } = await open();
    await sendKeys({ type: '/help' });
    await until(() => field.value === '/help', `“${field.value}” is written`);
    expect(options()).to.deep.equal([]);
  });
});

describe('the arrow upwards', () => {
  it('brings back what the person said last, into an empty field only', async () => {
    const { field } = await open(
      {},
      new FakeSurface({ views: [user('1', 'First'), assistant('2', ['Yes']), user('3', 'Second'), assistant('4', ['No'])] }),
    );
    await sendKeys({ press: 'ArrowUp' });
    await until(() => field.value === 'Second', `“${field.value}” is written`);
    await sendKeys({ press: 'ArrowUp' });
    expect(field.value).to.equal('Second');
  });
});

describe('speaking instead of writing (S0-188)', () => {
  class Recogniser extends EventTarget {
    static last: Recogniser | undefined;
    lang = '';
    started = false;
    constructor() {
      super();
      Recogniser.last = this;
    }
    start() {
      this.started = true;
    }
    stop() {
      this.dispatchEvent(new Event('end'));
    }
    say(...texts: string[]) {
      this.dispatchEvent(Object.assign(new Event('result'), { results: texts.map((transcript) => [{ transcript }]) }));
    }
    fail(error: string) {
      this.dispatchEvent(Object.assign(new Event('error'), { error }));
      this.dispatchEvent(new Event('end'));
    }
  }
  const names = ['SpeechRecognition', 'webkitSpeechRecognition'] as const;
  const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  const isThere = names.some((name) => name in globalThis);
  beforeEach(() => {
    Recogniser.last = undefined;
    for (const name of names) Object.defineProperty(globalThis, name, { configurable: true, value: Recogniser });
  });
  afterEach(async () => {
    for (const [at, name] of names.entries()) {
      const own = before[at];
      if (own) Object.defineProperty(globalThis, name, own);
      else Reflect.deleteProperty(globalThis, name);
    }
    await resetMouse();
  });

  it('has a button only where the browser can', async () => {
    const { panel } = await open();
    expect(find(panel, part('voice-button')) !== undefined).to.equal(isThere);
  });

  it('writes what is said behind what stands there, and never sends', async function () {
    if (!isThere) this.skip(); // no such interface in Firefox, nor in WebKitGTK
    const { panel, composer, field, surface } = await open();
    await sendKeys({ type: 'buy' });
    const button = find(panel, part('voice-button')) as HTMLElement;
    await click(button);
    await until(() => Recogniser.last?.started === true, 'nobody listens');
    expect(button.getAttribute('aria-pressed')).to.equal('true');
    Recogniser.last?.say('milk');
    Recogniser.last?.say('milk ', 'and bread');
    await until(() => field.value === 'buy milk and bread', `“${field.value}” is written`);
    await click(button);
    await composer.updateComplete;
    await until(() => button.getAttribute('aria-pressed') === 'false', 'it goes on');
    expect(surface.asked.filter((one) => one.startsWith('send'))).to.deep.equal([]);
  });

  it('ends with the message, with what is written by hand, and with its panel', async function () {
    if (!isThere) this.skip(); // as above
    const { panel, composer, field, surface } = await open();
    const button = find(panel, part('voice-button')) as HTMLElement;
    const start = async () => {
      Recogniser.last = undefined;
      await click(button);
      await until(() => Recogniser.last?.started === true, 'nobody listens');
    };
    const ends = () => until(() => button.getAttribute('aria-pressed') === 'false', 'it goes on');
    await start();
    Recogniser.last?.say('go');
    await until(() => field.value === 'go', 'nothing is written');
    await click(find(panel, part('send-button')) as Element);
    await until(() => surface.asked.includes('send go'), 'nothing is sent');
    await ends();
    Recogniser.last?.say('go on');
    await composer.updateComplete;
    expect(field.value).to.equal('');
    await start();
    panel.focus();
    await sendKeys({ type: 'by hand' });
    await ends();
    await start();
    panel.style.display = 'none';
    await until(() => Recogniser.last !== undefined && button.getAttribute('aria-pressed') === 'false', 'it goes on unseen');
  });

  it('says why it does not listen', async function () {
    if (!isThere) this.skip(); // as above
    const { panel } = await open();
    await click(find(panel, part('voice-button')) as Element);
    await until(() => Recogniser.last?.started === true, 'nobody listens');
    Recogniser.last?.fail('not-allowed');
    await until(() => find(panel, '.problem')?.textContent === en.voiceNotAllowed, 'nothing is said');
  });
});

describe('what to say next (S0-193)', () => {
  afterEach(() => resetMouse());

  it('is offered when an answer is over, sent by a click, and gone with the next message', async () => {
    const chat = await chatOnPage({});
    const requests = answerByHand(chat);
    const asked: number[] = [];
    chat.suggest = ({ messages }) => {
      asked.push(messages.length);
      return Promise.resolve([' Tell me more ', 'Tell me more', 'Thanks', 7 as never, '', 'Three', 'Four', 'Five']);
    };
    const chips = () => findAll(chat, part('quick-command')).map((chip) => chip.textContent.trim());
    void chat.sendMessage('Hello');
    const first = await requests.next();
    expect(chips()).to.deep.equal([]);
    first.send('Hi.');
    first.done();
    await until(() => chips().length === 4, `${String(chips())} are offered`);
    expect(chips()).to.deep.equal(['Tell me more', 'Thanks', 'Three', 'Four']);
    expect(asked).to.deep.equal([2]);
    await click(findAll(chat, part('quick-command'))[1] as Element);
    const second = await requests.next();
    expect(JSON.stringify(second.body)).to.contain('Thanks');
    expect(chips()).to.deep.equal([]);
    chat.suggest = () => {
      throw new Error('no idea');
    };
    second.send('You are welcome.');
    second.done();
    await until(() => !chat.isLoading, 'the end');
    expect(chips()).to.deep.equal([]);
  });
});

describe('the menu of models (S0-187)', () => {
  it('asks another model from the next message on, and keeps the history', async () => {
    const chat = await chatOnPage({ models: 'small large' });
    const requests = answerByHand(chat);
    void chat.sendMessage('One');
    const first = await requests.next();
    expect(first.body).to.have.property('model', 'small');
    first.send('1');
    first.done();
    const menu = await appears<HTMLSelectElement>(chat, part('model-menu'));
    expect([...menu.options].map(({ value }) => value)).to.deep.equal(['small', 'large']);
    expect(menu.getAttribute('aria-label')).to.equal('Model');
    menu.value = 'large';
    menu.dispatchEvent(new Event('change', { bubbles: true }));
    await until(() => !chat.isLoading, 'the end');
    void chat.sendMessage('Two');
    const second = await requests.next();
    expect(second.body).to.have.property('model', 'large');
    expect(JSON.stringify(second.body)).to.contain('One');
    second.send('2');
    second.done();
    await until(() => !chat.isLoading, 'the end');
  });

  it('is not there where there is nothing to choose', async () => {
    const chat = await chatOnPage({ models: 'only' });
    const requests = answerByHand(chat);
    void chat.sendMessage('One');
    const request = await requests.next();
    expect(request.body).to.have.property('model', 'only');
    expect(find(chat, 'tool-chat-models')).to.equal(undefined);
    chat.cancelStream();
  });
});
