/** The element on a page that is really left: reloaded while a card waits, while a tool is at work, and while somebody is writing. */
import { expect } from 'chai';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { call, forever } from '../conversation/kept.js';
import { cutieText } from '../conversation/scripted-fetch.js';
import { fresh, until } from '../storage/helpers.js';

interface Stage {
  chat: ToolChat;
}

const parameters = { type: 'object', properties: { amount: { type: 'integer' } } };

/** The first that fits, through open shadow roots. */
function deepFind(root: ParentNode | null, selector: string): HTMLElement | null {
  for (const element of root?.querySelectorAll<HTMLElement>('*') ?? []) {
    const found = element.matches(selector) ? element : deepFind(element.shadowRoot, selector);
    if (found) return found;
  }
  return null;
}

describe('a kept <tool-chat>', () => {
  const frames: HTMLIFrameElement[] = [];
  const paid: string[] = [];
  let replies: string[] = [];
  let asked = 0;
  let sessionId = '';

  beforeEach(() => {
    paid.length = 0;
    asked = 0;
  });
  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  /** A page with this element; `reload` resolves with the element of the next one. */
  async function open(setUp: (chat: ToolChat) => void) {
    sessionId = fresh('kept');
    Object.assign(window, {
      setUp(chat: ToolChat) {
        chat.endpoint = 'https://model.test/chat';
        chat.setAttribute('wire', 'cutie');
        chat.setAttribute('session-id', sessionId);
        chat.setAttribute('storage', 'indexeddb');
        chat.fetch = () => {
          asked += 1;
          return Promise.resolve(cutieText(replies.shift() ?? 'Nothing to say.'));
        };
        setUp(chat);
      },
    });
    const frame = document.createElement('iframe');
    frame.style.cssText = 'inline-size: 500px; block-size: 700px';
    frame.src = new URL('./kept-page.html', import.meta.url).href;
    frames.push(frame);
    document.body.append(frame);
    const find = () => (frame.contentWindow as unknown as Partial<Stage> | null)?.chat;
    return {
      chat: await until(find),
      async reload(): Promise<ToolChat> {
        const before = find();
        frame.contentWindow?.location.reload();
        return until(() => {
          const next = find();
          return next !== before && next;
        });
      },
    };
  }

  const panelOf = (chat: ToolChat) => chat.shadowRoot?.querySelector('tool-chat-panel')?.shadowRoot;
  const fieldOf = (chat: ToolChat) => panelOf(chat)?.querySelector('tool-chat-composer')?.shadowRoot?.querySelector('textarea');
  const cardOf = (chat: ToolChat) => deepFind(chat.shadowRoot, '[part~=tool-card]');

  it('D76 shows after a reload the card that waited and the sentence that was being written, and does nothing by itself', async () => {
    replies = [`I will. ${call('pay', { amount: 5 })}`];
    const page = await open((chat) => {
      chat.registerTool({ name: 'pay', description: 'Pays.', risk: 'danger', parameters, execute: () => paid.push('paid') });
    });
    void page.chat.sendMessage('Pay');
    await until(() => cardOf(page.chat)?.dataset['status'] === 'awaiting_approval');
    const field = await until(() => fieldOf(page.chat));
    field.value = 'and tell me';
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    const after = await page.reload();
    await until(() => cardOf(after)?.dataset['status'] === 'awaiting_approval');
    await until(() => fieldOf(after)?.value === 'and tell me');
    expect(after.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant']);
    expect(paid).to.deep.equal([]);
    expect(asked).to.equal(1);
  });

  it('D74 does not do twice what was under way, and tells the model', async () => {
    replies = [call('pay', { amount: 5 }), 'It may have happened.'];
    const page = await open((chat) => {
      chat.setAttribute('approval', 'auto');
      chat.registerTool({
        name: 'pay',
        description: 'Pays.',
        risk: 'danger',
        parameters,
        execute() {
          paid.push('paid');
          return forever();
        },
      });
    });
    void page.chat.sendMessage('Pay');
    await until(() => paid.length === 1 && cardOf(page.chat)?.dataset['status'] === 'executing');
    const after = await page.reload();
    await until(() => after.messages.at(-1)?.text === 'It may have happened.');
    expect(cardOf(after)?.dataset['status']).to.equal('interrupted');
    expect(paid).to.deep.equal(['paid']);
    expect(asked).to.equal(2);
  });

  it('keeps what was said once the page sets `storage`, from the next message on', async () => {
    replies = ['One.', 'Two.'];
    const page = await open((chat) => {
      if (asked < 2) for (const name of ['storage', 'session-id']) chat.removeAttribute(name);
    });
    await page.chat.sendMessage('Hello');
    const button = () => panelOf(page.chat)?.querySelector('[part~=history-button]');
    expect(button()).to.equal(null);
    page.chat.setAttribute('storage', 'indexeddb');
    page.chat.setAttribute('session-id', sessionId);
    await page.chat.sendMessage('Keep this');
    await until(button);
    const after = await page.reload();
    await until(() => after.messages.length === 4);
    expect(after.messages.map(({ text }) => text)).to.deep.equal(['Hello', 'One.', 'Keep this', 'Two.']);
  });

  it('comes back when it was taken out of the page for a while', async () => {
    replies = [call('pay', { amount: 5 }), 'Then not.', 'Hello!'];
    const page = await open((chat) => {
      chat.registerTool({ name: 'pay', description: 'Pays.', risk: 'danger', parameters, execute: () => paid.push('paid') });
    });
    void page.chat.sendMessage('Pay');
    await until(() => cardOf(page.chat)?.dataset['status'] === 'awaiting_approval');
    const home = page.chat.parentNode;
    page.chat.remove();
    await until(() => page.chat.state === 'idle');
    home?.append(page.chat);
    void page.chat.sendMessage('Are you there?');
    await until(() => cardOf(page.chat)?.dataset['status'] === 'awaiting_approval');
    expect(paid).to.deep.equal([]);
  });
});
