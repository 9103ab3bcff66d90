/** The attribute `mcp`, and what a server asks a person. */
import { expect } from '@open-wc/testing';
import { askInDialog } from '../../src/elements/elicit-dialog.js';
import { questionLanguages, serverQuestionStrings } from '../../src/i18n/server-question.js';
import { showSignInBar } from '../../src/mcp/sign-in-bar.js';
import { connectMcp, type McpQuestion } from '../../src/mcp/index.js';
import type { Call } from '../../src/model/calls.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { toolkitTextsFor } from '../../src/toolkits/toolkit-texts.js';
import content from '../fixtures/elements/server-content.json' with { type: 'json' };
import form from '../fixtures/elements/server-form.json' with { type: 'json' };
import schema from '../fixtures/elements/server-question.json' with { type: 'json' };
import { arms, hold, isArmed, keys, mouse, pass, press as pressArmed } from './doing.js';
import { frames, middle, until } from './looking.js';
import { chatOnPage } from './tool-chat-stage.js';

/** What a server without a session answers to a request: its tools, and what a call of any of them gives. */
function served(init: RequestInit | undefined, tool: string, content: unknown[] = []) {
  const { id, method } = JSON.parse(String(init?.body)) as { id: number; method: string };
  const results: Record<string, object> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: tool, description: 'Looks', inputSchema: { type: 'object' } }] },
  };
  return Promise.resolve(Response.json({ jsonrpc: '2.0', id, result: results[method] ?? { content } }));
}

describe('the attribute mcp', () => {
  const { fetch } = window;
  afterEach(() => {
    window.fetch = fetch;
  });

  it('offers the tools of a server, while it is set', async () => {
    let asked = 0;
    window.fetch = (url, init) => {
      if (!String(url).includes('/an-mcp')) return fetch(url, init);
      asked += 1;
      return served(init, `look_${String(url).at(-1)!}`);
    };
    const chat = await chatOnPage({ mcp: '/an-mcp/1' });
    let known = '';
    const look = async () => (known = await chat.getToolDescriptions());
    await until(() => (void look(), known.includes('look_1')), 'the tool');
    expect([asked, chat.config['mcp']]).to.deep.equal([2, '/an-mcp/1']);
    chat.setAttribute('mcp', '/an-mcp/2');
    await until(() => (void look(), known.includes('look_2')), 'the other tool');
    expect(known).to.not.include('look_1');
    chat.removeAttribute('mcp');
    await until(() => (void look(), !known.includes('look_2')), 'no tool');
  });
});

it('pictures, sounds and links of a result stand in the card of its call, and nothing else does', async () => {
  const link = { type: 'resource_link', uri: ['javascript', 'alert(1)'].join(':'), name: 'x' };
  let registered: ToolDefinition | undefined;
  const fetch = (_: unknown, init?: RequestInit) => served(init, 'show', [...content, link]);
  await connectMcp({ registerTool: (tool) => ((registered = tool), () => undefined) }, 'https://mcp.test/', { fetch });
  const { signal } = new AbortController();
  await registered!.execute({}, { requestId: 'r1', signal, progress: () => undefined } as unknown as ToolContext);
  const drawn = registered!.render!({ requestId: 'r1' } as Call) as HTMLElement;
  expect(registered!.render!({ requestId: 'another' } as Call)).to.equal(undefined);
  expect([...drawn.children].map(({ localName }) => localName)).to.deep.equal(['img', 'img', 'audio', 'span']);
  document.body.append(drawn);
  for (const image of drawn.querySelectorAll('img')) await until(() => image.naturalWidth === 1, 'the picture');
  const { href, rel } = drawn.querySelector('a')!;
  expect([href, rel, drawn.textContent]).to.deep.equal([
    ...['https://files.test/report', 'noopener noreferrer', 'https://bank.test (files.test)'],
  ]);
  await expect(drawn).to.be.accessible();
  drawn.remove();
});

/** What stands in the page beside the widget: the shadow root that holds such an element, and its buttons. */
const rootOf = (selector: string) => [...document.body.children].find((each) => each.shadowRoot?.querySelector(selector))?.shadowRoot;
const named = (selector: string, text: string) => {
  const button = [...(rootOf(selector)?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === text)!;
  button.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  return button;
};

async function press(element: Element): Promise<void> {
  element.scrollIntoView({ block: 'nearest' });
  await mouse({ type: 'click', position: middle(element) });
}

describe('what a server asks', () => {
  const question: McpQuestion = { ...{ server: 'Travel', host: 'travel.test', mode: 'form', message: 'Where to?' }, schema };
  const root = () => rootOf('dialog');

  afterEach(() => document.querySelectorAll('body > div').forEach((each) => each.shadowRoot?.querySelector('dialog') && each.remove()));

  const ask = (change: Partial<McpQuestion> = {}, lang = 'en', signal?: AbortSignal) =>
    askInDialog({ ...question, ...change }, { lang, signal });

  it('is written into fields and sent by a press, never by a script', async () => {
    const answer = ask();
    await expect(root()?.querySelector('dialog')).to.be.accessible();
    await arms(named('dialog', 'Send'));
    named('dialog', 'Send').click();
    root()!.querySelector('input')!.focus();
    await keys('type: Bern', 'Enter');
    expect(root(), 'Enter in a field sends nothing').to.not.equal(undefined);
    await pressArmed(named('dialog', 'Send'));
    expect(await answer).to.deep.equal({ action: 'accept', content: { city: 'Bern', nights: 2, bike: false } });
    expect(root()).to.equal(undefined);
  });

  it('draws every field of the specification, for the keyboard and by name', async () => {
    const { fields, labels, groups, types, content } = form;
    const answer = ask({ schema: { type: 'object', properties: fields, required: ['parts', 'count'] } });
    const dialog = root()!.querySelector('dialog')!;
    await expect(dialog).to.be.accessible();
    const controls = [...dialog.querySelectorAll<HTMLInputElement>('select, input')];
    const names = controls.map((one) => [...one.labels![0]!.childNodes].find((node) => node instanceof Text)?.data);
    expect(names).to.deep.equal(labels);
    expect([...dialog.querySelectorAll('legend')].map(({ firstChild }) => firstChild?.textContent)).to.deep.equal(groups);
    expect(controls.map(({ type }) => type).filter((type) => !/select|checkbox/.test(type))).to.deep.equal(types);
    const [, old, low, high, , , site, , , , count] = controls as [HTMLInputElement, ...HTMLInputElement[]];
    expect(dialog.querySelector(`#${site!.getAttribute('aria-describedby')!}`)?.textContent).to.equal('Where it is');
    const write = async (field: HTMLElement | undefined, ...typed: string[]) => {
      field!.focus();
      await keys(...typed);
    };
    const code = controls.at(-2);
    const isValid = () => [low!.validationMessage, count!.checkValidity()];
    expect(isValid()).to.deep.equal(['Choose at least 1', false]);
    await write(old, 'type: B');
    await write(low, 'Space');
    await write(high, 'Space');
    expect(low!.validationMessage).to.equal('Choose at most 1');
    await keys('Space');
    await write(site, 'type: https://a.test/');
    await write(count, 'type: 12');
    expect(isValid()).to.deep.equal(['', false]);
    await keys('Backspace');
    await write(code, 'type: Ch');
    expect(code!.validationMessage).to.equal('Use the requested format');
    await keys('Backspace', 'type: H');
    expect(code!.validationMessage).to.equal('');
    await pressArmed(named('dialog', 'Send'));
    expect(await answer).to.deep.equal({ action: 'accept', content });
  });

  it('is not sent while something is missing; saying no and Escape are answers', async () => {
    const declined = ask();
    await pressArmed(named('dialog', 'Send'));
    expect(root()).to.not.equal(undefined);
    await pressArmed(named('dialog', 'Don’t answer'));
    expect(await declined).to.deep.equal({ action: 'decline' });
    const cancelled = ask({}, 'zh-CN');
    await keys('Escape');
    expect(await cancelled).to.deep.equal({ action: 'cancel' });
    const stop = new AbortController();
    const stopped = ask({ mode: 'url', url: 'https://a.test/x' }, 'en', stop.signal);
    expect(root()?.querySelector('dialog')?.textContent).to.include('a page on a.test').and.include('https://a.test/x');
    expect(root()?.activeElement?.localName, 'no button has the focus').to.equal('h2');
    stop.abort();
    expect(await stopped).to.deep.equal({ action: 'cancel' });
  });

  it('names the host in its title, whatever the server calls itself; its name and its message stand apart, as its words', async () => {
    for (const lang of questionLanguages) {
      const words = serverQuestionStrings(lang);
      const answer = ask({ server: 'bank.test asks: ', message: 'Your bank needs this.' }, lang);
      const title = root()!.querySelector('h2')!.textContent;
      expect(title, lang).to.equal(words.asks('travel.test')).and.include('travel.test').and.not.include('bank');
      const theirs = [...root()!.querySelectorAll('blockquote p')].map(({ textContent }) => textContent);
      expect(theirs).to.deep.equal([words.callsItself, 'bank.test asks: ', words.says, 'Your bank needs this.']);
      await keys('Escape');
      await answer;
    }
    expect(new Set(questionLanguages.map((lang) => serverQuestionStrings(lang).stop)).size).to.equal(7);
  });

  it('takes no press within half a second, nor one under a cover, nor after a move', async () => {
    hold();
    let answered = 0;
    const answer = ask({ schema: {} }).finally(() => (answered += 1));
    const send = named('dialog', 'Send');
    await frames(8);
    await press(send);
    pass(400);
    await frames(4);
    await press(send);
    expect([answered, isArmed(send)]).to.deep.equal([0, false]);
    await arms(send);
    const cover = document.createElement('div');
    cover.popover = 'manual';
    cover.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; margin: 0; opacity: .01';
    root()!.querySelector('dialog')!.append(cover);
    cover.showPopover();
    await press(send);
    expect(answered).to.equal(0);
    cover.remove();
    await pressArmed(send);
    expect(await answer).to.deep.equal({ action: 'accept', content: {} });
  });

  it('is asked no more once the user has stopped the server; others still ask', async () => {
    const stopped = ask({ host: 'pest.test' });
    await pressArmed(named('dialog', 'Stop asking'));
    expect(await stopped).to.deep.equal({ action: 'decline' });
    expect(await ask({ host: 'pest.test', server: 'Another name' })).to.deep.equal({ action: 'decline' });
    expect(root()).to.equal(undefined);
    const other = ask();
    expect(root()).to.not.equal(undefined);
    await keys('Escape');
    await other;
  });
});

describe('the bar that asks a person to sign in', () => {
  it('stands at the foot of the window, is pressed by people only, and takes no focus', async () => {
    const bar = () => rootOf('section');
    const ask = showSignInBar(toolkitTextsFor('en'));
    let pressed = 0;
    const sentence = 'a.test wants you to sign in.';
    const question = { server: 'a.test', at: 'b.test', sentence, button: 'Sign in', press: () => void (pressed += 1) };
    const before = document.activeElement;
    ask(question);
    expect(document.activeElement).to.equal(before);
    await expect(bar()?.querySelector('section')).to.be.accessible();
    named('section', 'Sign in').click();
    expect(pressed).to.equal(0);
    await press(named('section', 'Sign in'));
    expect(pressed).to.equal(1);
    await press(named('section', 'Not now'));
    expect(bar()).to.equal(undefined);
  });
});
