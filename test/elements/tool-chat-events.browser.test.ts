/** What `<tool-chat>` tells a page, when, and what a listener can do about it (contract §2, S0-110, S0-111). */
import { expect } from '@open-wc/testing';
import type { ToolChatEventMap } from '../../src/elements/events.js';
import { appears, deepText, part, until } from './looking.js';
import { call, chatOnPage, chatWith, listening, tool } from './tool-chat-stage.js';

const names = [
  ...(['ready', 'send', 'stream-start', 'stream-chunk', 'tool-detected', 'approval-request', 'tool-execute', 'tool-progress'] as const),
  ...(['tool-complete', 'stream-end', 'cycle', 'state-change', 'error', 'log', 'show', 'hide'] as const),
].map((name): keyof ToolChatEventMap => `tool-chat-${name}`);

/** An event as plain data: what an assertion would print of a real one is the whole page. */
type Heard = { type: string; bubbles: boolean; composed: boolean; cancelable: boolean } & Record<string, unknown>;

/** Listens at the document, which only what bubbles and is composed reaches. */
function hear() {
  const events: Heard[] = [];
  const listener = (event: Event) => {
    const { type, bubbles, composed, cancelable } = event;
    events.push({ ...event, type: type.replace('tool-chat-', ''), bubbles, composed, cancelable });
  };
  for (const name of names) document.addEventListener(name, listener);
  const stop = () => {
    for (const name of names) document.removeEventListener(name, listener);
  };
  const all = (name: string) => events.filter(({ type }) => type === name);
  return { events, stop, all };
}

/** The log may be written later than things happen; the last stage of a turn ends its entries. */
const writtenDown = (events: readonly Heard[]) =>
  until(() => events.some(({ entry }) => (entry as { stage?: string } | undefined)?.stage === 'WB'), 'the log is not written');

describe('events of <tool-chat>', () => {
  it('come in the order of the seed, with its fields, through a shadow root, with each change of phase (S0-110)', async () => {
    const progress = { fraction: 0.5, message: 'Half way' };
    const execute = (_args: unknown, context: { progress(p: object): void }) => {
      context.progress(progress);
      return { success: true, message: 'Looked', data: { found: 1 } };
    };
    const { chat, model } = await chatWith([tool('look', { risk: 'query', execute })]);
    const host = document.createElement('div');
    chat.parentElement?.append(host);
    host.attachShadow({ mode: 'open' }).append(chat);
    const { events, stop, all } = hear();
    await model.turn('Please look', `Let me look. ${call('look', { title: 'x' })}`, 'Seen.');
    stop();

    const order = events.map(({ type }) => type).filter((type) => type !== 'state-change' && type !== 'log');
    expect(order.filter((name, at, every) => name !== every[at - 1])).to.deep.equal([
      ...['send', 'stream-start', 'stream-chunk', 'tool-detected', 'tool-execute', 'tool-progress', 'tool-complete', 'cycle'],
      ...['stream-chunk', 'cycle', 'stream-end'],
    ]);
    expect([all('send')[0]?.['text'], all('stream-start')[0]?.['message']]).to.deep.equal(['Please look', 'Please look']);
    const said = all('stream-chunk').map(({ text }) => text);
    expect(said.join('')).to.match(/^Let me look\.\s+Seen\.$/);
    const whole = { type: 'tool_use', name: 'look', params: { title: 'x' }, partial: false };
    expect(all('tool-detected').at(-1)?.['tool']).to.deep.equal(whole);
    const { requestId } = all('tool-detected')[0] as Heard;
    expect(requestId).to.be.a('string').and.not.to.equal('');
    expect(all('tool-execute')[0]).to.deep.include({ requestId, cancelable: true, tool: whole });
    expect(all('tool-progress')[0]).to.deep.include({ requestId, progress });
    const complete = all('tool-complete')[0] as Heard;
    expect(complete.requestId).to.equal(requestId);
    expect(complete['result']).to.include({ requestId, toolName: 'look', status: 'success', success: true, message: 'Looked' });
    expect(complete['result']).to.have.all.keys('requestId', 'toolName', 'status', 'success', 'message', 'data', 'result', 'durationMs');
    const { cycle } = all('cycle')[0] as unknown as { cycle: { parsedRequests: object[] } };
    expect(cycle).to.include({ hasToolRequests: true }).and.to.have.property('executionResults').with.length(1);
    expect(cycle.parsedRequests[0]).to.include({ requestId, toolName: 'look' }).and.to.have.property('rawBlock');
    expect(all('stream-end')[0]).to.include({ success: true, reason: 'stop' });
    for (const event of events) expect(event, event.type).to.include({ bubbles: true, composed: true });

    const phases = ['plan', 'tool_call', 'tool_result', 'decide', 'respond', 'idle'];
    expect(all('state-change').map(({ state }) => state)).to.deep.equal(phases);
    expect(all('state-change').map(({ previous }) => previous)).to.deep.equal(['idle', ...phases.slice(0, -1)]);
    for (const { reason } of all('state-change')) expect(reason).to.be.a('string').and.not.to.equal('');
  });

  it('carry frozen copies, and take the stamp that frameworks put on events', async () => {
    const act = tool('look', { risk: 'query' });
    const { model } = await chatWith([act]);
    const loose: string[] = [];
    let heard = 0;
    const meddle = (event: Event) => {
      heard += 1;
      if (!Reflect.set(event, '_vts', 1) || Object.isFrozen(event)) loose.push(`${event.type} takes no stamp`);
      for (const [key, value] of Object.entries(event) as [string, unknown][]) {
        if (key === 'isTrusted') continue; // the browser's own
        const { params } = Object(value) as { params?: object };
        for (const part of [value, params])
          if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) loose.push(`${event.type}.${key} is not frozen`);
        if (params && Reflect.set(params, 'title', 'changed by a listener')) loose.push(`${event.type}.${key} was changed`);
      }
    };
    for (const name of names) document.addEventListener(name, meddle);
    try {
      await model.turn('Look', call('look', { title: 'as shown' }), 'Seen.');
    } finally {
      for (const name of names) document.removeEventListener(name, meddle);
    }
    expect([loose, act.ran]).to.deep.equal([[], [{ title: 'as shown' }]]);
    expect(heard).to.be.above(8);
  });

  it('let a page veto a tool, which counts as denied', async () => {
    const look = tool('look', { risk: 'query' });
    const { chat, model } = await chatWith([look]);
    chat.addEventListener('tool-chat-tool-execute', (event) => {
      event.preventDefault();
    });
    await model.turn('Look', call('look'), '');
    expect(JSON.stringify(model.requests[1]?.body.messages)).to.contain('denied');
    expect(look.ran).to.deep.equal([]);
    expect(chat.toolHistory[0]).to.include({ status: 'denied', code: 'DENIED', success: false });
    await until(() => deepText(chat).includes('Blocked by this page'), 'the card does not say who refused');
  });

  it('tell which calls wait for a person', async () => {
    const { chat, model } = await chatWith([tool('act', { risk: 'danger', label: 'Act', describeCall: () => 'Acts once' })]);
    const { events, stop, all } = hear();
    const { turn } = await model.begin('Act', call('act', { title: 'x' }));
    await appears(chat, part('approval'));
    const [asked, ...others] = all('approval-request')[0]?.['calls'] as Record<string, unknown>[];
    expect(others).to.have.length(0);
    expect(asked).to.deep.include({ toolName: 'act', label: 'Act', risk: 'danger', args: { title: 'x' }, sentence: 'Acts once' });
    expect(asked?.['digest']).to.match(/^[0-9a-f]{64}$/);
    expect(Object.values(asked ?? {}).filter((value) => typeof value === 'function')).to.deep.equal([]);
    chat.cancelStream();
    expect(await turn).to.include({ reason: 'cancelled' });
    stop();
    expect(events.at(-1)).to.include({ type: 'stream-end', success: false, reason: 'cancelled' });
  });

  it('tell what failed in words that come with the first error', async () => {
    const chat = await chatOnPage({ 'log-level': 'off', endpoint: '/reply/stream' });
    const data = `data: ${JSON.stringify({ type: 'error', code: 'OVERFLOW', message: '9' })}\n\n`;
    chat.fetch = () => Promise.resolve(new Response(data, { headers: { 'content-type': 'text/event-stream' } }));
    expect((await chat.sendMessage('Hello')).error?.message).to.equal('The conversation is too long for this model');
  });

  it('tell what failed, without what the server wrote', async () => {
    const chat = await chatOnPage({ 'log-level': 'off' });
    chat.endpoint = '/__fault/stream?wire=cutie&status=401';
    const { events, stop, all } = hear();
    const { error } = await chat.sendMessage('Hello');
    stop();
    expect(all('error').map((event) => event['error'])).to.deep.equal([error]);
    const message = 'Please sign in and try again';
    expect(error).to.include({ code: 'HTTP_ERROR', errorType: 'auth', layer: 'network', status: 401, message });
    for (const shown of [JSON.stringify(events), deepText(chat)]) expect(shown).not.to.match(/sk-SECRET|onerror/);
    expect((window as unknown as { __xss?: unknown }).__xss).to.equal(undefined);
  });

  it('hide what a tool calls sensitive, in the log, too, which lists the stages of an instruction at the level of debugging (S0-111)', async () => {
    const parameters = { type: 'object', properties: { user: { type: 'string' }, pin: { type: 'string' } } };
    const login = tool('login', { risk: 'write', sensitive: ['pin'], parameters });
    const { model } = await chatWith([login], { 'log-level': 'debug' });
    const { events, stop, all } = hear();
    const said = await listening(async () => {
      await model.turn('Log in', call('login', { user: 'ann', pin: 'topsecret4711' }), 'In.');
      await writtenDown(events);
    });
    stop();
    expect(login.ran).to.deep.equal([{ user: 'ann', pin: 'topsecret4711' }]);
    expect(JSON.stringify(events)).to.contain('[hidden]').and.to.contain('ann').and.not.to.contain('topsecret');
    expect(said.join('\n')).to.contain('Tool: login').and.not.to.contain('topsecret');
    const stages = all('log').flatMap(({ entry }) => (entry as { stage?: string }).stage ?? []);
    expect([...new Set(stages)]).to.deep.equal(['IF', 'SCH', 'EX', 'WB']);
  });
});
