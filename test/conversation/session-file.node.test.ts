import { expect } from 'chai';
import type { SessionFile } from '../../src/storage/session-format.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { call, deferred, settlesWell, statuses, talk, tick, until, useFaultServer, type Talk, type TalkOptions } from './talk.js';

/** Everything on the screen but what only the page it happened on can offer. */
function screen({ messages, cards, views, session, failure, toolHistory, error }: ViewSnapshot) {
  const shown = Object.fromEntries(Object.entries(cards).map(([id, { undo: _, undoBack: __, edit: ___, ...card }]) => [id, card]));
  return unmarked(JSON.parse(JSON.stringify({ messages, cards: shown, views, session, failure, toolHistory, error })) as object);
}

/** Without the mark of what came out of a file, which is all that tells it from what was said here. */
function unmarked<T>(value: T): T {
  const walk = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).flatMap(([key, field]) => (key === 'imported' ? [] : [[key, walk(field)]])));
  };
  return walk(value) as T;
}

const argumentsOf = ({ cards }: Talk): string[] => cards().map(({ params }) => JSON.stringify(params));

const text = async ({ chat }: Talk): Promise<string> => JSON.stringify(await chat.exportSession());

/** A conversation with a bit of everything; the last call is declined by a person. */
async function everything(more: TalkOptions = {}): Promise<Talk> {
  const t = talk(
    [
      `Let me look.\n${call('look', { title: 'a' })}And then.\n${call('add_task', { title: 'Buy milk', due: 'today' })}`,
      `Removing.\n${call('delete_task', { title: 'Buy milk' })}`,
      'All done, nothing was deleted.',
      '<tool_use>\n<invoke name="look">\n<parameter name="title">never closed',
      'Sorry.',
    ],
    { person: true, ...more },
  );
  t.tool('look', {
    risk: 'query',
    label: 'Look',
    icon: '👀',
    execute: () => ({ success: true, message: 'Seen.', data: { rows: [1, { a: null }] } }),
  });
  t.tool('add_task', {
    ...{ risk: 'write', parameters: { type: 'object', properties: { title: { type: 'string' }, due: { type: 'string' } } } },
    describeCall: ({ title }: { title: string }) => `Adds ${title}`,
  } as never);
  t.tool('delete_task', {
    risk: 'danger',
    preview: () => [{ label: 'Task', before: 'Buy milk' }],
  });
  const turn = t.send('Please tidy up');
  t.decide('deny', (await t.asked())[0]!);
  await turn;
  await t.send('And again');
  return t;
}

describe('a session as a file (X-14, S4-54)', () => {
  useFaultServer();

  it('gives the same text twice, with sorted keys, and the fields of the contract', async () => {
    const t = await everything();
    const one = await text(t);
    await tick();
    expect(await text(t)).to.equal(one);
    const file = JSON.parse(one) as SessionFile;
    expect(file).to.include({ format: 'tool-chat-session', version: 1 });
    expect(file).to.include.keys('id', 'createdAt', 'messages', 'session', 'summaries', 'toolLog', 'grants', 'trace');
    expect(Object.keys(file.session)).to.deep.equal(['lastResultSummary', 'lastTool', 'plan', 'requiresConfirm', 'state']);
    const check = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Array.isArray(value)) expect(Object.keys(value)).to.deep.equal(Object.keys(value).sort());
      Object.values(value).forEach(check);
    };
    check(file);
  });

  it('replays to the same screen', async () => {
    const t = await everything();
    const other = talk(['More.']);
    await other.chat.importSession(await text(t));
    expect(screen(other.view())).to.deep.equal(screen(t.view()));
    expect(other.chat.session).to.deep.equal(t.chat.session);
    expect(other.chat.trace.slice(0, -1)).to.deep.equal(t.chat.trace);
    expect(other.chat.trace.at(-1)?.what).to.equal('import');
    // Arguments are shown in the order in which the model wrote them.
    expect(argumentsOf(other)).to.deep.equal(argumentsOf(t));
    expect(argumentsOf(t)).to.include('{"title":"Buy milk","due":"today"}');
    expect(other.requests()).to.have.length(0);
    const again = await other.chat.exportSession();
    const first = await t.chat.exportSession();
    expect(again.messages.every(({ metadata }) => metadata.imported === true)).to.equal(true);
    expect({ ...again, messages: unmarked(again.messages), id: '', trace: [] }).to.deep.equal({ ...first, id: '', trace: [] });
    expect((await other.send('Go on')).text).to.equal('More.');
    expect(
      other
        .bodies()[0]
        ?.messages.map(({ text: said }) => said)
        .join('\n'),
    )
      .to.include('Please tidy up')
      .and.include('Buy milk');
    await settlesWell(t);
  });

  it('replays an error, too', async () => {
    const t = talk([], { fetch: () => Promise.resolve(new Response('{}', { status: 401 })) });
    await t.send();
    expect(t.chat.error).not.to.equal(null);
    const other = talk([]);
    await other.chat.importSession(await t.chat.exportSession());
    expect(screen(other.view())).to.deep.equal(screen(t.view()));
  });

  it('holds no sensitive value and no secret, wherever it was repeated', async () => {
    const secret = 'hunter2-is-long';
    const t = talk([call('sign_in', { user: 'bob', password: secret }), `You are in with ${secret}. Your key is sk-abcdef0123456789.`], {
      person: true,
    });
    t.tool('sign_in', {
      risk: 'danger',
      sensitive: ['password'],
      parameters: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' } } },
      describeCall: ({ password }: { password: string }) => `Signs in with ${password}`,
      execute: () => ({
        success: true,
        message: `Welcome, ${secret}`,
        data: { apiKey: 'abc', note: `pw ${secret}`, mail: 'bob@example.com' },
      }),
    } as never);
    const turn = t.send('My mail is bob@example.com');
    t.decide('allow', (await t.asked())[0]!);
    await turn;
    const written = await text(t);
    for (const word of [secret, 'sk-abcdef', 'bob@example.com', '"apiKey":"abc"']) expect(written).not.to.include(word);
    expect(written).to.include('"password":"[hidden]"').and.include('"user":"bob"');
    const other = talk([]);
    other.tool('sign_in', { risk: 'danger', sensitive: ['password'] });
    await other.chat.importSession(written);
    expect(other.cards()[0]).to.deep.include({ status: 'success', toolName: 'sign_in' });
    expect(await other.chat.exportSession().then((file) => JSON.stringify(file.calls))).to.equal(
      JSON.stringify((JSON.parse(written) as SessionFile).calls),
    );
  });

  it('hides a sensitive value shorter than four characters only where it was given', async () => {
    const t = talk([call('log_in', { user: 'ann', pin: 'in' }), 'Logged in, and all is fine in here.'], { approval: 'auto' });
    t.tool('log_in', {
      sensitive: ['pin'],
      parameters: { type: 'object', properties: { user: { type: 'string' }, pin: { type: 'string' } } },
    } as never);
    await t.send('Let me in');
    const file = await t.chat.exportSession();
    expect(file.messages.map((message) => message.text)).to.include.members(['Let me in', 'Logged in, and all is fine in here.']);
    expect(file.calls?.[0]?.params).to.deep.equal({ user: 'ann', pin: '[hidden]' });
  });

  it('counts calls by their digest alone: what could not be read is not repeated in a counter', async () => {
    const broken = (secret: string) => `<tool_use>\n<invoke name="look">\n<parameter name="title">${secret}</invoke>\n</tool_use>`;
    const t = talk([broken('s3cr3t-one'), `${call('look', { title: 'a' })}${call('wipe', { title: 'b' })}`], { person: true });
    t.tool('look', { risk: 'query' });
    t.tool('wipe', { risk: 'danger' });
    void t.send('Look');
    await t.asked();
    const { turn } = await t.chat.exportSession();
    const keys = [...Object.keys(turn?.denied ?? {}), ...Object.keys(turn?.executed ?? {})];
    expect(keys.length).to.be.above(0);
    for (const key of keys) expect(key).to.match(/^[0-9a-f]{64}$/);
  });

  it('drops a counter without a digest that came with a file, and keeps those with one', async () => {
    const t = talk([call('wipe', { title: 'b' })], { person: true });
    t.tool('wipe', { risk: 'danger' });
    void t.send('Wipe');
    await t.asked();
    const file = await t.chat.exportSession();
    const digest = 'a'.repeat(64);
    const counted = { ...file, turn: { ...file.turn!, denied: { [digest]: 1, 'wipe s3cr3t-one': 1 }, executed: { 'wipe s3cr3t-two': 2 } } };
    const other = talk([], { person: true });
    other.tool('wipe', { risk: 'danger' });
    await other.chat.importSession(counted);
    await other.asked();
    const { turn } = await other.chat.exportSession();
    expect(turn?.denied).to.deep.equal({ [digest]: 1 });
    expect(turn?.executed).to.deep.equal({});
  });

  it('asks again what waited, and goes on after the answer', async () => {
    const t = talk([call('delete_task', { title: 'x' })], { person: true });
    t.tool('delete_task', { risk: 'danger' });
    const turn = t.send('Delete x');
    await t.asked();
    const file = await t.chat.exportSession();
    expect((file.session as { requiresConfirm: boolean }).requiresConfirm).to.equal(true);
    t.chat.cancelStream();
    await turn;

    // Here policy would let it run: what waited asks all the same.
    const other = talk(['It is gone.'], { person: true, approval: 'auto' });
    other.tool('delete_task', { risk: 'danger' });
    await other.chat.importSession(file);
    const [card] = await other.asked();
    expect(card?.call?.args).to.deep.equal({ title: 'x' });
    expect(other.chat.session.requiresConfirm).to.equal(true);
    expect(other.chat.isLoading).to.equal(true);
    expect([other.runs.length, other.requests().length]).to.deep.equal([0, 0]);
    other.decide('allow', card!);
    await until(() => other.chat.state === 'idle', 'the end');
    expect(other.runs.map(({ args }) => args)).to.deep.equal([{ title: 'x' }]);
    expect(other.chat.messages.at(-1)?.text).to.equal('It is gone.');
    await tick();
    expect((await other.chat.exportSession()).toolLog.map(({ status }) => status)).to.deep.equal(['success']);
  });

  it('makes `interrupted` what was under way, and cuts a reply that was being read', async () => {
    const never = deferred<object>();
    const t = talk([call('slow')]);
    t.tool('slow', { risk: 'query', execute: () => never.promise });
    const turn = t.send();
    await until(() => t.runs.length === 1, 'the tool');
    const file = await t.chat.exportSession();
    expect(file.calls?.[0]?.status).to.equal('executing');
    const other = talk([]);
    other.tool('slow', { risk: 'query' });
    await other.chat.importSession(file);
    expect(other.cards().map(({ status }) => status)).to.deep.equal(['interrupted']);
    expect(other.chat.state).to.equal('idle');
    expect(other.chat.messages.at(-1)?.metadata.toolCall).to.include({ toolName: 'slow', status: 'interrupted' });
    await tick();
    expect([other.runs.length, other.requests().length]).to.deep.equal([0, 0]);
    t.chat.cancelStream();
    await turn;

    const streaming = talk(['A long answer that goes on and on.'], { query: 'gap=20' });
    const reading = streaming.send();
    await until(() => streaming.chat.streamingText.length > 5, 'some text');
    const half = await streaming.chat.exportSession();
    expect(half.messages.at(-1)?.status.type).to.equal('running');
    await other.chat.importSession(half);
    expect(other.chat.messages.at(-1)?.status.type).to.equal('cut');
    expect(other.chat.messages.at(-1)?.text.length).to.be.greaterThan(5);
    streaming.chat.cancelStream();
    await reading;
  });

  it('starts nothing: not by policy, not by grants in the file, not where the tool is gone', async () => {
    const t = talk([call('look')], { person: true, approval: 'always' });
    t.tool('look', { risk: 'query' });
    const turn = t.send();
    await t.asked();
    const file = await t.chat.exportSession();
    t.chat.cancelStream();
    await turn;
    const grant = { id: 'g', toolName: 'look', fingerprint: 'f', sentence: 'Every call of look', scope: 'session' as const, where: {} };
    const nobody = talk(['Never asked for.'], { approval: 'auto', decide: () => Promise.resolve('allow') });
    nobody.tool('look', { risk: 'query' });
    await nobody.chat.importSession({ ...file, grants: [grant] });
    await until(() => nobody.chat.state === 'idle', 'the end');
    await tick();
    expect([nobody.runs.length, nobody.requests().length, nobody.chat.grants.length]).to.deep.equal([0, 0, 0]);
    expect(statuses(nobody.chat.toolHistory)).to.deep.equal(['denied']);
  });

  it('lets nothing of what was here go on', async () => {
    const t = talk([call('delete_task')], { person: true });
    t.tool('delete_task', { risk: 'danger' });
    const turn = t.send();
    const queued = t.send('later');
    await t.asked();
    await t.chat.importSession([{ role: 'user', content: 'old' }]);
    expect([(await turn).reason, (await queued).reason]).to.deep.equal(['cancelled', 'cancelled']);
    expect(t.chat.messages.map(({ text: said }) => said)).to.deep.equal(['old']);
    expect(t.cards()).to.deep.equal([]);
    expect(t.runs).to.have.length(0);
  });

  it('loads old histories of user and assistant only, which go on (S2-67)', async () => {
    const history = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi, how can I help?' },
    ];
    for (const given of [
      history,
      { messages: history },
      JSON.stringify(history),
      { messages: history.map(({ role, content }) => ({ role, text: content })) },
    ]) {
      const t = talk(['Sure.']);
      await t.chat.importSession(given);
      expect(t.view().views.map(({ message, parts }) => [message.role, parts])).to.deep.equal([
        ['user', [{ type: 'text', text: 'Hello' }]],
        ['assistant', [{ type: 'text', text: 'Hi, how can I help?' }]],
      ]);
      expect((await t.send('Help me')).text).to.equal('Sure.');
      expect(t.bodies()[0]?.messages.map(({ role, text: said }) => [role, said])).to.deep.equal([
        ['user', 'Hello'],
        ['assistant', 'Hi, how can I help?'],
        ['user', 'Help me'],
      ]);
    }
  });

  it('reads a file that says no more than the contract asks for', async () => {
    const t = await everything();
    const { parts: _, calls: __, results: ___, turn: ____, failure: _____, trace: ______, ...bare } = await t.chat.exportSession();
    // As the state of the contract has them.
    const messages = t.chat.messages;
    const other = talk([]);
    await other.chat.importSession({ ...bare, messages });
    const cards = ({ view }: Talk) => Object.values(view().cards).map(({ toolName, status }) => [toolName, status]);
    expect(cards(other)).to.deep.equal(cards(t));
    expect(other.chat.messages.map(({ text: said }) => said)).to.deep.equal(messages.map(({ text: said }) => said));
  });

  it('refuses what is damaged with a TypeError that names the field, what it is and what was expected, and changes nothing', async () => {
    const t = await everything();
    const file = await t.chat.exportSession();
    const before = JSON.stringify(screen(t.view()));
    const damaged: [unknown, RegExp][] = [
      [undefined, /Here the file is missing; expected an object/],
      [null, /Here the file is null; expected an object/],
      [42, /Here the file is a number; expected an object/],
      ['{"half', /no JSON/],
      ['[1]', /`\[0\]` is a number; expected an object/],
      ['', /no JSON/],
      [{}, /`format` is missing; expected tool-chat-session, or the `messages` of an older history/],
      [{ messages: 'none' }, /`messages` is a text of 4 characters; expected a list/],
      [{ messages: [{ content: 'x' }] }, /`messages\[0\]\.role` is missing; expected one of user, assistant, system, tool/],
      [{ format: 'tool-chat-session' }, /`version` is missing; expected 1\.$/],
      [{ ...file, id: undefined }, /`id` is missing; expected text/],
      [{ ...file, createdAt: 'today' }, /`createdAt` is a text of 5 characters; expected a number/],
      [{ ...file, parts: { 'a b': 1 } }, /`parts\["a b"\]` is a number; expected a list/],
      [{ ...file, format: 'other' }, /`format` is a text of 5 characters; expected tool-chat-session/],
      [{ ...file, version: 2 }, /`version` is a number; expected 1\.$/],
      [{ ...file, messages: [{ ...file.messages[0], role: 'admin' }] }, /`messages\[0\]\.role` is a text of 5 characters; expected one of/],
      [{ ...file, messages: [file.messages[0], file.messages[0]] }, /`messages` is a list of 2; expected messages with an id of their own/],
      [
        { ...file, calls: file.calls?.map((one) => ({ ...one, messageId: 'nowhere' })) },
        /`calls\[0\]\.messageId` is a text of 7 characters; expected the id of one of its messages/,
      ],
      [{ ...file, calls: file.calls?.map(({ result: _, ...one }) => one) }, /`calls\[0\]\.result` is missing; expected the result/],
      [{ ...file, calls: [{ ...file.calls?.[0], status: 'approved' }] }, /`calls\[0\]\.status` is a text of 8 characters; expected one of/],
      [{ ...file, toolLog: 'none' }, /`toolLog` is a text of 4 characters; expected a list/],
      [
        { ...file, failure: { kind: 'made up', code: 'X', layer: 'network', retryable: true } },
        /`failure\.kind` is a text of 7 characters; expected one that is known/,
      ],
      [
        { ...file, trace: Array.from({ length: 1001 }, () => file.trace?.[0]) },
        /`trace` is a list of 1001; expected a list of at most 1000/,
      ],
      [
        new Proxy(file, {
          get() {
            throw new Error('trap');
          },
        }),
        /Here something/,
      ],
    ];
    for (const [given, where] of damaged) {
      const error: unknown = await t.chat.importSession(given).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error, String(where)).to.be.instanceOf(TypeError);
      expect((error as TypeError).message).to.match(where);
    }
    expect(JSON.stringify(screen(t.view()))).to.equal(before);
    await t.chat.importSession(JSON.parse('{"messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}]}'));
    expect(({} as { polluted?: number }).polluted).to.equal(undefined);
  });
});
