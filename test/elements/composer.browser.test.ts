// engines: IME, selection, focus, clipboard
/** The composer: writing and sending, pictures, lists, templates, a chosen tool and speech (S0-186 … S0-189, S0-193, S4-45, S4-47 … S4-49, Y-22). */
import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import type { ToolChatComposer } from '../../src/elements/tool-chat-composer/tool-chat-composer.js';
import { readImages } from '../../src/elements/tool-chat-composer/attachments.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { ToolChoice } from '../../src/model/snapshot.js';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { click, composes, keys } from './doing.js';
import { stage, type PanelOptions } from './helpers.js';
import { accessible, appears, cannotHoldKeys, fieldOf, find, findAll, focused, part, until, words } from './looking.js';
import { chatWith } from './tool-chat-stage.js';

async function open(more: PanelOptions['more'] = {}, surface = new FakeSurface(), options: PanelOptions = {}) {
  const { panel } = await stage(surface, { more, ...options });
  const composer = find<ToolChatComposer>(panel, 'tool-chat-composer') as ToolChatComposer;
  const field = fieldOf(panel);
  panel.focus();
  const settle = async () => {
    await panel.updateComplete;
    await composer.updateComplete;
  };
  const button = (name: string) => find<HTMLButtonElement>(panel, part(name));
  const options_ = () => findAll(panel, '[role=option]').map((option) => option.querySelector('[dir]')?.textContent);
  const sent = () => surface.asked.filter((one) => one.startsWith('send'));
  const closed = () => until(() => !find(panel, '[role=listbox]'), 'the list stays open');
  const reads = (text: string) => until(() => field.value === text, `“${field.value}” is written`);
  return { surface, panel, composer, field, settle, button, options: options_, sent, closed, reads };
}
const busy = (...activities: FakeSurface['view']['activities']) => new FakeSurface({ isLoading: true, activities });

// No letter twice in a row: WebKit's driver swallows the second.
describe('composer', () => {
  it('sends by Enter, and is empty then, also what a script has written, which tells nobody; nothing is not sent', async () => {
    const { surface, field, button, settle } = await open();
    await keys('type:    ', 'Enter');
    expect([surface.asked, button('send-button')?.disabled]).to.deep.equal([[], true]);
    await keys('type: thanks ', 'Enter');
    await settle();
    expect([surface.asked, field.value]).to.deep.equal([['send thanks'], '']);
    field.value = 'filled in';
    await keys('Enter');
    await settle();
    field.value = 'once more';
    await click(button('send-button') as Element);
    expect(surface.asked.slice(1)).to.deep.equal(['send filled in', 'send once more']);
  });

  it('breaks the line by Shift+Enter', async function () {
    if (cannotHoldKeys) this.skip(); // no such command for WebKit, see helpers.ts
    const { surface, field } = await open();
    await keys('type: one');
    await sendKeys({ down: 'Shift' });
    await keys('Enter');
    await sendKeys({ up: 'Shift' });
    await keys('type: two');
    expect([field.value, surface.asked]).to.deep.equal(['one\ntwo', []]);
  });

  it('leaves every key of an input method to it', async () => {
    const { surface, field } = await open();
    await keys('type: ni hao');
    composes(field);
    expect([surface.asked, field.value]).to.deep.equal([[], 'ni hao']);
    await keys('Enter');
    expect(surface.asked).to.deep.equal(['send ni hao']);
  });

  it('breaks the line by Enter where there is nothing but a finger, and sends by Ctrl+Enter and the button', async () => {
    const { matchMedia } = globalThis;
    const only = (finger: boolean) =>
      (globalThis.matchMedia = (query) => ({ ...matchMedia(query), matches: query.includes('coarse') ? finger : !finger }));
    try {
      for (const finger of [true, false]) {
        only(finger);
        const { surface, field } = await open();
        expect(field.getAttribute('enterkeyhint')).to.equal(finger ? 'enter' : 'send');
        await keys('type: one', 'Enter', 'type: two');
        expect([field.value, surface.asked]).to.deep.equal(finger ? ['one\ntwo', []] : ['two', ['send one']]);
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }));
        expect(surface.asked.at(-1)).to.equal(finger ? 'send one\ntwo' : 'send two');
      }
    } finally {
      globalThis.matchMedia = matchMedia;
    }
  });

  it('keeps the indentation of the first line of several', async () => {
    const { surface, composer, field } = await open();
    for (const [written, sent] of [
      ['\n  if (x)\n    y();\n\n', '  if (x)\n    y();'],
      ['  one line ', 'one line'],
    ] as const) {
      composer.draft = written;
      await composer.updateComplete;
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      expect(surface.asked.at(-1)).to.equal(`send ${sent}`);
    }
  });

  it('grows with its text, up to a limit; of a very long text it keeps no copy, and the cursor stays in sight', async () => {
    const { field, composer } = await open();
    const box = field.parentElement as HTMLElement;
    const heights: number[] = [];
    for (const draft of ['', 'x\n'.repeat(3), 'x\n'.repeat(40), 'word '.repeat(700), 'word '.repeat(60_000), '']) {
      composer.draft = draft;
      await composer.updateComplete;
      heights.push(box.getBoundingClientRect().height);
      if (draft.length > 9) expect((box.dataset['draft'] ?? '').length > 0).to.equal(draft.length < 9_000);
      if (draft.length > 9_000) expect(field.scrollTop + field.clientHeight).to.be.closeTo(field.scrollHeight, 2);
    }
    const [one, four, many] = heights as [number, number, number];
    expect(four).to.be.above(one + 40);
    expect(many).to.be.above(four);
    expect(heights.slice(3)).to.deep.equal([many, many, one]);
  });

  it('lets people write while an answer runs, but not send; stop is there instead (S0-122)', async () => {
    const { surface, field, button } = await open({}, busy('streaming'));
    await keys('type: next', 'Enter');
    expect([field.value, button('send-button')?.disabled]).to.deep.equal(['next', true]);
    button('stop-button')?.click();
    expect(surface.asked).to.deep.equal(['stop']);
  });

  it('sends while the turn only waits for a person, unless a tool runs beside that; closed by policy, the field is open then', async () => {
    for (const [activities, sends, isClosed] of [
      [['awaitingApproval'], ['send never mind'], false],
      [['awaitingApproval', 'executing'], [], true],
    ] as const) {
      const { surface, panel, field, settle } = await open({}, busy(...activities));
      await keys('type: never mind', 'Enter');
      expect(surface.asked).to.deep.equal(sends);
      panel.whileBusy = 'disabled';
      await settle();
      expect(field.disabled).to.equal(isClosed);
    }
  });

  it('queues where the policy says so; what waits is shown and can be taken back', async () => {
    const { surface, panel, field, settle } = await open({}, busy('streaming'));
    panel.whileBusy = 'queue';
    await settle();
    await keys('type: later', 'Enter');
    expect(surface.asked).to.deep.equal(['send later']);
    surface.set({ views: [user('u1', 'Hello')], queue: ['first', 'later'] });
    await settle();
    const [, remove] = findAll(panel, '.queued button');
    expect(remove?.getAttribute('aria-label')).to.equal('Don’t send: later');
    remove?.click();
    await settle();
    expect([surface.asked[1], field.value], 'it can be written anew').to.deep.equal(['unqueue 1 later', 'later']);
  });

  it('offers to send the results there are, while other calls wait to be run (S3-22)', async () => {
    const { surface, panel, settle } = await open({}, busy('awaitingApproval'));
    expect(find(panel, '.send-results')).to.equal(undefined);
    surface.set({ canSendResults: true });
    await settle();
    find(panel, '.send-results')?.click();
    expect(surface.asked).to.deep.equal(['sendResults']);
  });

  it('sends a quick command by one press, before the first message only, and keeps the draft', async () => {
    const { surface, panel, field } = await open({ quickCommands: ['List tasks', 'Create one'] });
    await keys('type: draft');
    findAll(panel, part('quick-command'))[1]?.click();
    expect([surface.asked, field.value]).to.deep.equal([['send Create one'], 'draft']);
  });

  it('brings back what the person said last by the arrow upwards, into an empty field only', async () => {
    const views = [user('1', 'First'), assistant('2', ['Yes']), user('3', 'Second'), assistant('4', ['No'])];
    const { field, reads } = await open({}, new FakeSurface({ views }));
    await keys('ArrowUp');
    await reads('Second');
    await keys('ArrowUp');
    expect(field.value).to.equal('Second');
  });
});

describe('pictures in the composer (S0-189)', () => {
  /** A picture of one color, as a file. */
  async function picture(name = 'cat.png', width = 40, height = 30): Promise<File> {
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    canvas.getContext('2d')?.fillRect(0, 0, width, height);
    const blob = await new Promise<Blob | null>((resolve) => void canvas.toBlob(resolve, 'image/png'));
    return new File([blob as Blob], name, { type: 'image/png' });
  }

  function filesOf(...files: File[]): DataTransfer {
    const data = new DataTransfer();
    for (const file of files) data.items.add(file);
    return data;
  }

  function give(target: Element, kind: 'drop' | 'paste', ...files: File[]) {
    const data = filesOf(...files);
    const init = { bubbles: true, composed: true, cancelable: true, dataTransfer: data, clipboardData: data };
    const event = kind === 'drop' ? new DragEvent(kind, init) : new ClipboardEvent(kind, init);
    target.dispatchEvent(event);
    return event;
  }

  for (const kind of ['drop', 'paste'] as const)
    it(`are added by ${kind}, shown, and sent with the next message once`, async () => {
      const { panel, field, sent } = await open({ attaches: true });
      const event = give(field, kind, await picture());
      if (kind === 'paste' && (event as ClipboardEvent).clipboardData?.files.length === 0) return; // Firefox takes no files into an event that a script makes
      expect(event.defaultPrevented).to.equal(true);
      const shown = await appears<HTMLImageElement>(panel, `${part('attachment')} img`);
      expect([shown.src.slice(0, 22), shown.alt]).to.deep.equal(['data:image/png;base64,', 'cat.png']);
      await keys('type: this', 'Enter');
      await until(() => sent().length > 0, `nothing is sent of “${field.value}”`);
      expect(sent()).to.deep.equal(['send this and cat.png']);
      await until(() => !find(panel, part('attachment')), 'the picture stays');
    });

  /** Engines differ in what a `DataTransfer` of a script can hold. */
  function paste(field: Element, files: File[], texts: Record<string, string>): Event {
    const event = new Event('paste', { bubbles: true, composed: true, cancelable: true });
    const clipboardData = { files, types: [...Object.keys(texts), 'Files'], getData: (type: string) => texts[type] ?? '' };
    field.dispatchEvent(Object.defineProperty(event, 'clipboardData', { value: clipboardData }));
    return event;
  }

  it('are not made of text: Office programs add a picture of it', async () => {
    const { panel, field } = await open({ attaches: true });
    const files = [await picture('image.png')];
    const cells = 'Name\tPrice\nPen\t2';
    const html = '<table><tr><td>Name<td>Price<tr><td>Pen<td>2</table>';
    let pictures = 0;
    for (const [what, texts, isText] of [
      ['cells of Excel', { 'text/plain': cells, 'text/html': html, 'text/rtf': cells }, true],
      ['a paragraph of Word', { 'text/html': '<p>Hello</p>', 'text/plain': 'Hello\r\n' }, true],
      ['a note of OneNote', { 'text/plain': 'Hello' }, true],
      ['cells without a value', { 'text/plain': ' \r\n', 'text/html': html }, false],
      ['a shape of PowerPoint, a picture of a page', { 'text/html': '<img src="https://example.org/a.png">' }, false],
      ['a screenshot', {}, false],
      ['the name of the file, as file managers add it', { 'text/plain': 'image.png' }, false],
    ] as [string, Record<string, string>, boolean][]) {
      expect(paste(field, files, texts).defaultPrevented, what).to.equal(!isText);
      if (!isText && pictures < 4) pictures += 1;
      await until(() => findAll(panel, part('attachment')).length === pictures, `${what}: not ${String(pictures)}`);
    }
  });

  it('that cannot be sent are refused in a sentence, not swallowed; text beside them is pasted', async () => {
    const { panel, field } = await open({ attaches: false });
    const files = [await picture()];
    for (const [texts, problem] of [
      [{ 'text/plain': 'Name\tPrice' }, ''],
      [{}, en.noFiles],
    ] as [Record<string, string>, string][]) {
      expect(paste(field, files, texts).defaultPrevented).to.equal(false);
      await until(() => words(find(panel, '.problem')) === problem, `“${words(find(panel, '.problem'))}”, not “${problem}”`);
    }
    expect(paste(field, [], {}).defaultPrevented).to.equal(false);
    await keys('type: a');
    await until(() => !find(panel, '.problem'), 'it stays');
  });

  it('are taken wherever over the panel they are let go', async () => {
    const { panel } = await open({ attaches: true });
    const target = find(panel, part('messages')) as Element;
    const over = new DragEvent('dragover', { dataTransfer: filesOf(await picture()), bubbles: true, composed: true, cancelable: true });
    target.dispatchEvent(over);
    expect([over.defaultPrevented, give(target, 'drop', await picture()).defaultPrevented]).to.deep.equal([true, true]);
    await appears(panel, part('attachment'));
  });

  it('can be sent without a word, and removed before', async () => {
    const { surface, panel, field, settle, button } = await open({ attaches: true });
    give(field, 'drop', await picture(), await picture('dog.png'));
    const count = (wanted: number) => until(() => findAll(panel, part('attachment')).length === wanted, `not ${String(wanted)}`);
    await count(2);
    await click(find(panel, `${part('attachment')} button`) as Element);
    await count(1);
    await settle();
    await click(button('send-button') as Element);
    await until(() => surface.asked.length > 0, 'nothing is sent');
    expect(surface.asked).to.deep.equal(['send  and dog.png']);
  });

  it('are offered where the wire carries them, and left to the page elsewhere', async () => {
    const { field, button } = await open({ attaches: false });
    expect([button('attach-button'), give(field, 'drop', await picture()).defaultPrevented]).to.deep.equal([undefined, false]);
    const { chat } = await chatWith([], { endpoint: '/v1/chat/completions' });
    chat.endpoint = '/v1/chat/completions';
    await appears(chat, part('attach-button'));
    chat.setAttribute('attachments', 'off');
    await until(() => !find(chat, part('attach-button')), 'it stays');
  });

  it('are four at most, are made smaller, and what is no picture is said', async () => {
    const files = await Promise.all(Array.from({ length: 5 }, () => picture('x.png', 10, 10)));
    const several = await readImages(files, 1);
    expect([several.problem, several.pictures.length]).to.deep.equal(['tooManyPictures', 3]);
    for (const [name, type, problem] of [
      ['x.pdf', 'application/pdf', 'onlyPictures'],
      ['x.svg', 'image/svg+xml', 'onlyPictures'],
      ['x.png', 'image/png', 'pictureTooLarge'],
    ] as const)
      expect(await readImages([new File(['no picture'], name, { type })], 0)).to.deep.equal({ pictures: [], problem });
    const { pictures } = await readImages([await picture('wide.png', 4000, 1000)], 0);
    const image = Object.assign(new Image(), { src: pictures[0]!.url });
    await image.decode();
    expect([image.naturalWidth, image.naturalHeight]).to.deep.equal([1568, 392]);
  });

  it('stand in the message that was sent, and nothing is fetched for those of elsewhere', async () => {
    const view = user('1', 'look');
    const attachments = [
      { type: 'image', name: 'own.png', url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'image', name: 'far.png', url: 'https://elsewhere.example/far.png' },
    ];
    const { panel } = await open({}, new FakeSurface({ views: [{ ...view, message: { ...view.message, attachments } }] }));
    await appears(panel, 'img[part]');
    expect(findAll<HTMLImageElement>(panel, 'img[part]').map(({ alt }) => alt)).to.deep.equal(['own.png']);
    expect(find(panel, '.file')?.textContent).to.equal('far.png');
  });
});

describe('the list behind `/` (Y-22)', () => {
  it('offers ready messages and templates after ten messages, and writes what is chosen; Escape closes it', async () => {
    const views = Array.from({ length: 10 }, (_, at) => (at % 2 ? assistant(`m${at}`, ['Yes']) : user(`m${at}`, 'Really?')));
    const more = { quickCommands: ['Plan my day', 'What is late?'], templates: [{ label: 'Task', text: 'Do {what} today' }] };
    const { field, options, sent, closed, reads } = await open(more, new FakeSurface({ views }));
    await keys('type: /');
    await until(() => options().length === 3, 'not three');
    expect(options()).to.deep.equal(['Plan my day', 'What is late?', 'Task']);
    await keys('Escape');
    await closed();
    await keys('type: a/b');
    expect([field.value, options()]).to.deep.equal(['a/b', []]);
    field.select();
    await keys('Delete', 'type: /');
    await until(() => options().length === 3, 'not three');
    await keys('ArrowDown', 'ArrowDown', 'Enter');
    await reads('What is late?');
    expect(sent()).to.deep.equal([]);
  });

  it('chooses nothing that was not picked: a text that begins with a slash is a text', async () => {
    for (const [written, then, value, sent] of [
      ['/etc/hosts is empty', 'Enter', '', ['send /etc/hosts is empty']],
      ['/tmp', 'End', '/tmp', []],
      ['/ta', 'Enter', '/ta', []],
      ['/ta', 'Escape', '/ta', []],
      ['/is empty', 'Enter', 'is empty', []],
    ] as const) {
      const { panel, surface, field, options } = await open({ quickCommands: ['List tasks', 'Empty the bin', 'is empty'] });
      await keys('type: /');
      await appears(panel, 'tool-chat-picker');
      await keys(`type: ${written.slice(1)}`, then);
      await until(() => field.value === value && options().length === 0, `“${field.value}” after ${written} ${then}`);
      // WebKit's driver loses blanks.
      const asked = cannotHoldKeys ? surface.asked.map((one) => one.replace('isempty', 'is empty')) : surface.asked;
      expect([asked, focused()], written).to.deep.equal([sent, field]);
    }
  });

  it('is not there where nothing stands ready, and comes where no key has told of the slash', async () => {
    const none = await open();
    await keys('type: /help');
    await none.reads('/help');
    expect(none.options()).to.deep.equal([]);
    const { chat } = await chatWith([], { 'quick-commands': 'One|Two' });
    const field = fieldOf(chat);
    field.focus();
    field.value = '/';
    field.dispatchEvent(new InputEvent('input', { inputType: 'insertText', data: '/', bubbles: true, composed: true }));
    await appears(chat, 'tool-chat-picker');
    expect(field.value).to.equal('');
  });
});

describe('templates', () => {
  async function template(text: string) {
    const on = await open({ templates: Object.entries({ Plain: 'Hello', Task: text }).map(([label, words]) => ({ label, text: words })) });
    await click(await appears(on.panel, '[data-what=templates]'));
    await appears(on.panel, '[role=listbox]');
    await keys('ArrowDown', 'Enter');
    await on.reads(text);
    return { ...on, selected: () => on.field.value.slice(on.field.selectionStart, on.field.selectionEnd) };
  }

  it('insert their text with the first place selected; Tab goes to the next, and out after the last', async () => {
    const { surface, field, selected, settle } = await template('Task {title} until {day}');
    expect(selected()).to.equal('{title}');
    await keys('type: Milk', 'Tab');
    expect(selected()).to.equal('{day}');
    await keys('type: May', 'Enter');
    expect(surface.asked).to.deep.equal(['send Task Milk until May']);
    await keys('type: a {b}');
    await settle();
    await keys('Tab');
    expect(focused(), 'behind the last place Tab leaves').to.not.equal(field);
    const plain = (await template('Nothing to fill')).field;
    expect(plain.selectionStart, 'the cursor is behind it').to.equal('Nothing to fill'.length);
  });
});

describe('tool picker', () => {
  const few: ToolChoice[] = [
    { name: 'webSearch', label: '网页搜索', icon: '🔎', risk: 'query' },
    { name: 'create_task', label: 'create_task', risk: 'write' },
    { name: 'delete_task', label: '删除任务', icon: '🗑️', risk: 'danger' },
  ];
  const many = Array.from({ length: 12 }, (_, at): ToolChoice => ({ name: `tool_${at}`, label: `Tool ${at}`, risk: 'query' }));

  async function picker(choices = few, options: PanelOptions = {}) {
    const surface = new FakeSurface({ hasTools: true });
    surface.choices = choices;
    const on = await open({ toolPicker: true }, surface, options);
    const toggle = on.button('tool-picker') as HTMLElement;
    await click(toggle);
    await appears(on.panel, '[role=listbox]');
    const active = () => find(on.panel, '[role=option][aria-selected=true]')?.querySelector('[dir]')?.textContent;
    return { ...on, toggle, active, locked: () => find(on.panel, part('locked-tool')) };
  }

  it('shows label, name, icon and risk of each tool', async () => {
    const { panel, toggle, options } = await picker();
    expect([toggle.getAttribute('aria-expanded'), options()]).to.deep.equal(['true', ['网页搜索', 'create_task', '删除任务']]);
    const text = findAll(panel, '[role=option]').map((option) => words(option));
    expect(text.slice(1)).to.deep.equal(['create_task changes', '🗑️ 删除任务delete_task dangerous']);
    expect(find(panel, '[role=combobox]'), 'few need no filter').to.equal(undefined);
    expect((await open({ toolPicker: true })).button('tool-picker'), 'without tools').to.equal(undefined);
  });

  it('locks a tool by keyboard alone, and sends it with the message once', async () => {
    const { sent, locked, closed, active } = await picker();
    await keys('ArrowDown', 'ArrowDown');
    await until(() => active() === '删除任务', 'the third is not active');
    await keys('ArrowUp', 'Home');
    await until(() => active() === '网页搜索', 'the first is not active');
    await keys('Enter');
    await closed();
    expect(words(locked())).to.contain('Locked tool: 网页搜索');
    await keys('type: lit', 'Enter');
    await until(() => sent().length === 1, 'nothing is sent');
    await until(() => !locked(), 'the lock stays');
    await keys('type: more', 'Enter');
    expect(sent()).to.deep.equal(['send lit with webSearch', 'send more']);
  });

  it('lets go of a lock, which is named in the person’s language', async () => {
    const { panel, closed, locked, sent } = await picker(few, { texts: zhCN, lang: 'zh-CN' });
    await click(findAll(panel, '[role=option]')[1] as Element);
    await closed();
    expect(words(locked())).to.contain('已锁定工具：create_task');
    await click(locked()?.querySelector('button') as Element);
    await keys('type: lit', 'Enter');
    await until(() => sent().join() === 'send lit', 'it is sent otherwise');
  });

  it('filters a long list by label and name, says when nothing fits, and axe finds nothing', async () => {
    const { panel, options, closed, locked } = await picker(many);
    expect(options()).to.have.length(12);
    composes(focused()!);
    await accessible(panel);
    await keys('type: xyz');
    await until(() => options().length === 0, 'something fits');
    expect(find(panel, '.none')?.textContent).to.equal(en.nothingFits);
    await keys('Enter');
    expect(locked()).to.equal(undefined);
    await keys('Backspace', 'Backspace', 'Backspace', 'type: l 1');
    await until(() => options().length === 3, 'the list is not filtered');
    expect(options()).to.deep.equal(['Tool 1', 'Tool 10', 'Tool 11']);
    await keys('ArrowUp', 'Enter');
    await closed();
    expect(words(locked())).to.contain('Tool 11');
  });

  it('closes by Escape, by its button and by leaving, and gives the focus back', async () => {
    const { panel, toggle, closed, field, locked } = await picker();
    await keys('Escape');
    await closed();
    expect(focused()).to.equal(field);
    for (const away of [toggle, field]) {
      await click(toggle);
      await appears(panel, '[role=listbox]');
      await click(away);
      await closed();
    }
    expect(locked()).to.equal(undefined);
  });

  it('sends nothing when the tool has gone meanwhile, and keeps what was written', async () => {
    const { surface, panel, field, closed } = await picker();
    await keys('Enter');
    await closed();
    surface.choices = [];
    await keys('type: lit', 'Enter');
    expect((await appears(panel, '.problem')).textContent).to.equal(en.lockGone('网页搜索'));
    expect([surface.asked, field.value]).to.deep.equal([[], 'lit']);
    await keys('Enter');
    expect(surface.asked, 'the next time without it').to.deep.equal(['send lit']);
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
      this.stop();
    }
  }
  const names = ['SpeechRecognition', 'webkitSpeechRecognition'] as const;
  const own = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  const isThere = names.some((name) => name in globalThis);
  beforeEach(() => {
    for (const name of names) Object.defineProperty(globalThis, name, { configurable: true, value: Recogniser });
  });
  afterEach(() => {
    for (const [at, name] of names.entries())
      if (own[at]) Object.defineProperty(globalThis, name, own[at]);
      else Reflect.deleteProperty(globalThis, name);
  });

  async function voice() {
    const on = await open();
    const button = on.button('voice-button') as HTMLElement;
    const start = async () => {
      Recogniser.last = undefined;
      await click(button);
      await until(() => Recogniser.last?.started === true, 'nobody listens');
      expect(button.getAttribute('aria-pressed')).to.equal('true');
    };
    const ends = () => until(() => button.getAttribute('aria-pressed') === 'false', 'it goes on');
    return { ...on, voice: button, start, ends };
  }

  it('writes what is said behind what stands there, never sends, and says why it does not listen', async function () {
    expect((await open()).button('voice-button') !== undefined).to.equal(isThere);
    if (!isThere) this.skip(); // no such interface in Firefox, nor in WebKitGTK
    const { panel, voice: button, start, ends, reads, sent } = await voice();
    await keys('type: buy');
    await start();
    Recogniser.last?.say('milk');
    Recogniser.last?.say('milk ', 'and bread');
    await reads('buy milk and bread');
    await click(button);
    await ends();
    expect(sent()).to.deep.equal([]);
    await start();
    Recogniser.last?.fail('not-allowed');
    await until(() => find(panel, '.problem')?.textContent === en.voiceNotAllowed, 'nothing is said');
  });

  it('ends with the message, with what is written by hand, and with its panel', async function () {
    if (!isThere) this.skip(); // as above
    const { panel, field, button, start, ends, reads, sent } = await voice();
    await start();
    Recogniser.last?.say('go');
    await reads('go');
    await click(button('send-button') as Element);
    await ends();
    Recogniser.last?.say('go on');
    await keys('type: by hand');
    expect([sent(), field.value]).to.deep.equal([['send go'], 'by hand']);
    for (const end of [() => keys('type: x'), () => void (panel.style.display = 'none')]) {
      await start();
      panel.focus();
      await end();
      await ends();
    }
  });
});

describe('what to say next, and to whom', () => {
  it('is offered when an answer is over, sent by a click, and gone with the next message (S0-193)', async () => {
    const { chat, model } = await chatWith([]);
    const suggested = [' Tell me more ', 'Tell me more', 'Thanks', 7 as never, '', 'Three', 'Four', 'Five'];
    chat.suggest = ({ messages }) => (messages.length === 2 ? Promise.resolve(suggested) : Promise.reject(new Error('no idea')));
    const chips = () => findAll(chat, part('quick-command')).map((chip) => words(chip));
    void chat.sendMessage('Hello');
    expect(chips()).to.deep.equal([]);
    await model.reply('Hi.');
    await until(() => chips().join() === 'Tell me more,Thanks,Three,Four', `${String(chips())} are offered`);
    await click(findAll(chat, part('quick-command'))[1] as Element);
    expect(JSON.stringify((await model.reply('You are welcome.')).body)).to.contain('Thanks');
    await until(() => !chat.isLoading, 'the end');
    expect(chips()).to.deep.equal([]);
  });

  it('asks another model from the next message on, and keeps the history; one alone is no choice (S0-187)', async () => {
    const { chat, model } = await chatWith([], { models: 'small large' });
    await model.turn('One', '1');
    const menu = await appears<HTMLSelectElement>(chat, part('model-menu'));
    expect([...menu.options].map(({ value }) => value)).to.deep.equal(['small', 'large']);
    expect(menu.getAttribute('aria-label')).to.equal('Model');
    menu.value = 'large';
    menu.dispatchEvent(new Event('change', { bubbles: true }));
    await model.turn('Two', '2');
    expect(model.requests.map(({ body }) => body['model'])).to.deep.equal(['small', 'large']);
    expect(JSON.stringify(model.requests[1]?.body)).to.contain('One');
    const only = await chatWith([], { models: 'only' });
    await only.model.turn('One', '1');
    expect([only.model.requests[0]?.body['model'], find(only.chat, 'tool-chat-models')]).to.deep.equal(['only', undefined]);
  });
});
