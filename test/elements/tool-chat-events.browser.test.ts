/** What `<tool-chat>` tells a page, when, and what a listener can do about it (contract §2, S0-110, S0-111). */
import { expect } from '@open-wc/testing';
import type { ToolChatEventMap } from '../../src/elements/events.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, deepText, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, listening, tool } from './tool-chat-stage.js';

const names: readonly (keyof ToolChatEventMap)[] = [
  'tool-chat-ready',
  'tool-chat-send',
  'tool-chat-stream-start',
  'tool-chat-stream-chunk',
  'tool-chat-tool-detected',
  'tool-chat-approval-request',
  'tool-chat-tool-execute',
  'tool-chat-tool-progress',
  'tool-chat-tool-complete',
  'tool-chat-stream-end',
  'tool-chat-cycle',
  'tool-chat-state-change',
  'tool-chat-error',
  'tool-chat-log',
  'tool-chat-show',
  'tool-chat-hide',
];

/** An event as plain data: what an assertion would print of a real one is the whole page. */
type Heard = { type: string; bubbles: boolean; composed: boolean; cancelable: boolean } & Record<string, unknown>;

/** Listens at the document, which only what bubbles and is composed reaches. */
function hear(): { events: Heard[]; stop: () => void } {
  const events: Heard[] = [];
  const listener = (event: Event) => {
    const { type, bubbles, composed, cancelable } = event;
    events.push({ ...event, type, bubbles, composed, cancelable });
  };
  for (const name of names) document.addEventListener(name, listener);
  const stop = () => {
    for (const name of names) document.removeEventListener(name, listener);
  };
  return { events, stop };
}

const short = ({ type }: { type: string }) => type.replace('tool-chat-', '');

/** The log may be written later than things happen; the last stage of a turn ends its entries. */
const writtenDown = (events: readonly Heard[]) =>
  until(() => events.some(({ entry }) => (entry as { stage?: string } | undefined)?.stage === 'WB'), 'the log is not written');

/** One whole turn: a text, a call, its result, a last text. */
async function turnWithCall(chat: ToolChat, parameters: Record<string, string> = { title: 'x' }, name = 'look'): Promise<void> {
  const model = answerByHand(chat);
  const turn = chat.sendMessage('Please look');
  const first = await model.next();
  first.send('Let me ');
  first.send('look. ');
  first.send(call(name, parameters));
  first.done();
  const second = await model.next();
  second.send('Seen.');
  second.done();
  await turn;
}

describe('events of <tool-chat>', () => {
  it('come in the order of the seed, with its fields, through a shadow root (S0-110)', async () => {
    const chat = await chatOnPage();
    const host = document.createElement('div');
    chat.parentElement?.append(host);
    host.attachShadow({ mode: 'open' }).append(chat);
    chat.registerTool(
      tool('look', {
        risk: 'query',
        execute: (_args: unknown, { progress }: { progress(p: object): void }) => {
          progress({ fraction: 0.5, message: 'Half way' });
          return { success: true, message: 'Looked', data: { found: 1 } };
        },
      }),
    );
    const { events, stop } = hear();
    await turnWithCall(chat);
    stop();

    const seen = events.filter(({ type }) => type !== 'tool-chat-state-change' && type !== 'tool-chat-log');
    const order = seen.map(short).filter((name, at, all) => name !== all[at - 1]);
    expect(order).to.deep.equal([
      'send',
      'stream-start',
      'stream-chunk',
      'tool-detected',
      'tool-execute',
      'tool-progress',
      'tool-complete',
      'cycle',
      'stream-chunk',
      'cycle',
      'stream-end',
    ]);
    const all = (name: string) => seen.filter((event) => short(event) === name);
    expect(all('send')[0]).to.include({ text: 'Please look', cancelable: true });
    expect(all('stream-start')[0]).to.include({ message: 'Please look', cancelable: false });
    expect(
      all('stream-chunk')
        .map(({ text }) => text)
        .join(''),
    )
      .to.contain('Let me look.')
      .and.to.contain('Seen.')
      .and.not.to.match(/tool_use|invoke/);
    expect(all('tool-detected').at(-1)?.['tool']).to.deep.equal({ type: 'tool_use', name: 'look', params: { title: 'x' }, partial: false });
    for (const { tool: partly } of all('tool-detected').slice(0, -1) as unknown as { tool: { partial: boolean } }[])
      expect(partly.partial).to.equal(true);
    const { requestId } = all('tool-detected')[0] as Heard;
    expect(requestId).to.be.a('string').and.not.to.equal('');
    expect(all('tool-execute')[0]).to.include({ requestId, cancelable: true });
    expect(all('tool-execute')[0]?.['tool']).to.deep.equal({ type: 'tool_use', name: 'look', params: { title: 'x' }, partial: false });
    expect(all('tool-progress')[0]).to.deep.include({ requestId, progress: { fraction: 0.5, message: 'Half way' } });
    const complete = all('tool-complete')[0] as Heard;
    expect(complete.requestId).to.equal(requestId);
    expect(complete['result']).to.include({ requestId, toolName: 'look', status: 'success', success: true, message: 'Looked' });
    expect(complete['result']).to.have.all.keys('requestId', 'toolName', 'status', 'success', 'message', 'data', 'result', 'durationMs');
    const { cycle } = all('cycle')[0] as unknown as {
      cycle: { parsedRequests: object[]; executionResults: object[]; hasToolRequests: boolean };
    };
    expect(cycle.hasToolRequests).to.equal(true);
    expect(cycle.parsedRequests[0]).to.include({ requestId, toolName: 'look' }).and.to.have.property('rawBlock');
    expect(cycle.executionResults).to.have.length(1);
    expect(all('stream-end')[0]).to.include({ success: true, reason: 'stop' });
    for (const event of events) expect(event, event.type).to.include({ bubbles: true, composed: true });
  });

  it('tell each change of phase, and why', async () => {
    const chat = await chatOnPage();
    chat.registerTool(tool('look', { risk: 'query' }));
    const { events, stop } = hear();
    await turnWithCall(chat);
    stop();
    const changes = events.filter(({ type }) => type === 'tool-chat-state-change');
    expect(changes.map(({ state }) => state)).to.deep.equal(['plan', 'tool_call', 'tool_result', 'decide', 'respond', 'idle']);
    expect(changes[0]).to.include({ previous: 'idle' });
    for (const [at, change] of changes.entries()) {
      if (at > 0) expect(change['previous']).to.equal(changes[at - 1]?.['state']);
      expect(change['reason']).to.be.a('string').and.not.to.equal('');
    }
  });

  it('carry frozen copies, and take the stamp that frameworks put on events', async () => {
    const chat = await chatOnPage();
    const act = tool('look', { risk: 'query' });
    chat.registerTool(act);
    const { events, stop } = hear();
    const loose: string[] = [];
    const meddle = (event: Event) => {
      if (!Reflect.set(event, '_vts', 1) || Object.isFrozen(event)) loose.push(`${event.type} takes no stamp`);
      for (const [key, value] of Object.entries(event) as [string, unknown][]) {
        if (key === 'isTrusted') continue; // the browser's own
        for (const part of [value, (value as { params?: unknown } | null)?.params])
          if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) loose.push(`${event.type}.${key} is not frozen`);
        const { params } = Object(value) as { params?: object };
        if (params && Reflect.set(params, 'title', 'changed by a listener')) loose.push(`${event.type}.${key} was changed`);
      }
    };
    for (const name of names) document.addEventListener(name, meddle);
    try {
      await turnWithCall(chat, { title: 'as shown' });
    } finally {
      for (const name of names) document.removeEventListener(name, meddle);
      stop();
    }
    expect(loose).to.deep.equal([]);
    expect(act.ran).to.deep.equal([{ title: 'as shown' }]);
    expect(events.length).to.be.above(8);
  });

  it('let a page keep a message from being sent', async () => {
    const chat = await chatOnPage();
    const model = answerByHand(chat);
    chat.addEventListener('tool-chat-send', (event) => {
      if (event.text.includes('secret')) event.preventDefault();
    });
    expect(await chat.sendMessage('a secret')).to.deep.include({ success: false, reason: 'cancelled', results: [] });
    expect(model.requests).to.have.length(0);
    expect(chat.messages).to.deep.equal([]);
    const turn = chat.sendMessage('Hello');
    (await model.next()).done();
    expect(await turn).to.include({ success: true });
  });

  it('let a page veto a tool, which counts as denied', async () => {
    const chat = await chatOnPage();
    const look = tool('look', { risk: 'query' });
    chat.registerTool(look);
    chat.addEventListener('tool-chat-tool-execute', (event) => {
      event.preventDefault();
    });
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Look');
    const first = await model.next();
    first.send(call('look'));
    first.done();
    const second = await model.next();
    expect(JSON.stringify(second.body.messages)).to.contain('denied');
    second.done();
    await turn;
    expect(look.ran).to.deep.equal([]);
    expect(chat.toolHistory[0]).to.include({ status: 'denied', code: 'DENIED', success: false });
    await until(() => deepText(chat).includes('Refused by this page'), 'the card does not say who refused');
  });

  it('tell which calls wait for a person', async () => {
    const chat = await chatOnPage();
    chat.registerTool(tool('act', { risk: 'danger', label: 'Act', describeCall: () => 'Acts once' }));
    const { events, stop } = hear();
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Act');
    const first = await model.next();
    first.send(call('act', { title: 'x' }));
    first.done();
    await appears(chat, part('approval'));
    const [asked] = events.filter(({ type }) => type === 'tool-chat-approval-request') as unknown as {
      calls: Record<string, unknown>[];
      cancelable: boolean;
    }[];
    expect(asked?.calls).to.have.length(1);
    expect(asked?.calls[0]).to.deep.include({ toolName: 'act', label: 'Act', risk: 'danger', args: { title: 'x' }, sentence: 'Acts once' });
    expect(asked?.calls[0]?.['digest']).to.match(/^[0-9a-f]{64}$/);
    expect(Object.values(asked?.calls[0] ?? {}).filter((value) => typeof value === 'function')).to.deep.equal([]);
    chat.cancelStream();
    expect(await turn).to.include({ reason: 'cancelled' });
    stop();
    expect(short(events.filter(({ type }) => type !== 'tool-chat-log').at(-1) as Heard)).to.equal('stream-end');
    expect(events.at(-1)).to.include({ success: false, reason: 'cancelled' });
  });

  it('tell what failed, without what the server wrote', async () => {
    const chat = await chatOnPage({ 'log-level': 'off' });
    chat.endpoint = '/__fault/stream?wire=cutie&status=401';
    const { events, stop } = hear();
    const result = await chat.sendMessage('Hello');
    stop();
    const failed = events.filter(({ type }) => type === 'tool-chat-error').map(({ error }) => error);
    expect(failed).to.deep.equal([result.error]);
    expect(failed[0]).to.include({
      code: 'HTTP_ERROR',
      errorType: 'auth',
      layer: 'network',
      status: 401,
      message: 'Not authorised, please sign in',
    });
    expect(JSON.stringify(events)).not.to.match(/sk-SECRET|onerror/);
    expect(deepText(chat)).not.to.match(/sk-SECRET|onerror/);
    expect((window as unknown as { __xss?: unknown }).__xss).to.equal(undefined);
  });

  it('hide what a tool calls sensitive, in the log, too', async () => {
    const chat = await chatOnPage({ 'log-level': 'debug' });
    const parameters = { type: 'object', properties: { user: { type: 'string' }, pin: { type: 'string' } } };
    const login = tool('login', { risk: 'write', sensitive: ['pin'], parameters });
    chat.registerTool(login);
    const { events, stop } = hear();
    const said = await listening(async () => {
      await turnWithCall(chat, { user: 'ann', pin: 'topsecret4711' }, 'login');
      await writtenDown(events);
    });
    stop();
    expect(login.ran).to.deep.equal([{ user: 'ann', pin: 'topsecret4711' }]);
    const told = JSON.stringify(events);
    expect(told).to.contain('[hidden]').and.to.contain('ann');
    expect(told).not.to.contain('topsecret');
    expect(said.join('\n')).to.contain('Tool: login').and.not.to.contain('topsecret');
  });

  it('list the stages of an instruction at the level of debugging (S0-111)', async () => {
    const chat = await chatOnPage({ 'log-level': 'debug' });
    const { events, stop } = hear();
    const model = answerByHand(chat);
    await listening(async () => {
      const turn = chat.sendMessage('Hi');
      (await model.next()).done();
      await turn;
      await writtenDown(events);
    });
    stop();
    const stages = events.filter(({ type }) => type === 'tool-chat-log').map(({ entry }) => (entry as { stage?: string }).stage);
    expect(stages.filter(Boolean).slice(0, 4)).to.deep.equal(['IF', 'SCH', 'EX', 'WB']);
  });

  it('say once that the element is ready, after the functions of the page have run', async () => {
    const { events, stop } = hear();
    const ran: Element[] = [];
    (window as unknown as { toolChat: { push(run: (chat: Element) => void): void } }).toolChat.push((chat) => void ran.push(chat));
    ran.length = 0;
    const chat = document.createElement('tool-chat');
    chat.addEventListener('tool-chat-ready', () => expect(ran).to.deep.equal([chat]));
    document.body.append(chat);
    await until(() => events.length > 0, 'the element does not say that it is ready');
    document.body.prepend(chat);
    await until(() => chat.isConnected, 'it is gone');
    chat.remove();
    stop();
    expect(events.map(short)).to.deep.equal(['ready']);
    expect(ran).to.deep.equal([chat]);
  });
});
