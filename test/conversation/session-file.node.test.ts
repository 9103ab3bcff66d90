/** A session as a file (X-14, S4-54): what it holds, what it never holds, and what becomes of it elsewhere. */
import { expect } from 'chai';
import type { SessionFile } from '../../src/storage/session-format.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { digestCall } from '../../src/tools/digest.js';
import { isLinear } from '../helpers/cost.js';
import { asking, play, stage } from './play.js';
import { call, deferred, statuses, tick, until, useFaultServer, type Talk } from './talk.js';

/** Without the mark of what came out of a file, which is all that tells it from what was said here. */
const unmarked = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (key, field: unknown) => (key === 'imported' ? undefined : field))) as T;

/** Everything on the screen but what only the page it happened on can offer. */
function screen({ view }: Talk) {
  const { messages, cards, views, session, failure, toolHistory, error }: ViewSnapshot = view();
  const shown = Object.fromEntries(Object.entries(cards).map(([id, { undo: _, undoBack: __, edit: ___, ...card }]) => [id, card]));
  return unmarked({ messages, cards: shown, views, session, failure, toolHistory, error });
}

const argumentsOf = ({ cards }: Talk): string[] => cards().map(({ params }) => JSON.stringify(params));
const text = async ({ chat }: Talk): Promise<string> => JSON.stringify(await chat.exportSession());
const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});

async function imported(file: unknown, ...given: Parameters<typeof stage>): Promise<Talk> {
  const one = stage(...given);
  await one.chat.importSession(file);
  return one;
}

/** A conversation whose last call waits for the user. */
async function waiting(name: string, options = {}) {
  const { one, turn } = await asking([call(name, { title: 'x' })], { [name]: 'danger' }, options);
  return { one, turn, file: await one.chat.exportSession() };
}

/** A conversation with a bit of everything; the last call is declined by a user. */
async function everything(): Promise<Talk> {
  const turns = [
    `Let me look.\n${call('look', { title: 'a' })}And then.\n${call('add_task', { title: 'Buy milk', due: 'today' })}`,
    `Removing.\n${call('delete_task', { title: 'Buy milk' })}`,
    'All done, nothing was deleted.',
    '<tool_use>\n<invoke name="look">\n<parameter name="title">never closed',
    'Sorry.',
  ];
  const execute = () => ({ success: true, message: 'Seen.', data: { rows: [1, { a: null }] } });
  const tools = {
    look: { risk: 'query', label: 'Look', icon: '👀', execute },
    add_task: { parameters: object('title', 'due'), describeCall: ({ title }: { title: string }) => `Adds ${title}` } as never,
    delete_task: { risk: 'danger', preview: () => [{ label: 'Task', before: 'Buy milk' }] },
  } as const;
  const one = await play(turns, tools, { answers: ['deny'], message: 'Please tidy up' });
  await one.send('And again');
  return one;
}

describe('a session as a file (X-14, S4-54)', () => {
  useFaultServer({ settles: true });

  it('gives the same text twice, with sorted keys, and the fields of the contract', async () => {
    const one = await everything();
    const first = await text(one);
    await tick();
    expect(await text(one)).to.equal(first);
    const file = JSON.parse(first) as SessionFile;
    expect(file).to.include({ format: 'tool-chat-session', version: 1 });
    expect(file).to.include.keys('id', 'createdAt', 'messages', 'session', 'summaries', 'toolLog', 'grants', 'trace');
    expect(Object.keys(file.session)).to.deep.equal(['lastResultSummary', 'lastTool', 'plan', 'requiresConfirm', 'state']);
    JSON.stringify(file, (_, value: unknown) => {
      if (typeof value === 'object' && value && !Array.isArray(value)) expect(Object.keys(value)).to.deep.equal(Object.keys(value).sort());
      return value;
    });
  });

  it('replays to the same screen, and goes on', async () => {
    const one = await everything();
    const other = await imported(await text(one), ['More.']);
    expect([screen(other), other.chat.session]).to.deep.equal([screen(one), one.chat.session]);
    expect([other.chat.trace.slice(0, -1), other.chat.trace.at(-1)?.what]).to.deep.equal([one.chat.trace, 'import']);
    // Arguments are shown in the order in which the model wrote them.
    expect(argumentsOf(other)).to.deep.equal(argumentsOf(one));
    expect(argumentsOf(one)).to.include('{"title":"Buy milk","due":"today"}');
    expect(other.requests()).to.have.length(0);
    const [again, first] = [await other.chat.exportSession(), await one.chat.exportSession()];
    expect(again.messages.every(({ metadata }) => metadata.imported === true)).to.equal(true);
    expect({ ...again, messages: unmarked(again.messages), id: '', trace: [] }).to.deep.equal({ ...first, id: '', trace: [] });
    expect((await other.send('Go on')).text).to.equal('More.');
    expect(JSON.stringify(other.bodies()[0]?.messages)).to.include('Please tidy up').and.include('Buy milk');
  });

  it('opens in linear time, however often it names the order of one object', async () => {
    const file = await (await play(['Hello.'])).chat.exportSession();
    const prepare = (size: number) => {
      const session = Object.fromEntries(Array.from({ length: size }, (_, at) => [`key${String(at)}`, at]));
      const order = Array.from({ length: size }, () => ({ path: ['session'], keys: [] }));
      return () => imported({ ...file, session, order }, []);
    };
    expect(await isLinear(prepare, 1_500)).to.equal(true);
  });

  it('holds no sensitive value, wherever it was repeated, no key by its name, and all else as it was written', async () => {
    const secret = 'hunter2-is-long';
    const data = { apiKey: 'abc', note: `pw ${secret}`, mail: 'bob@example.com' };
    const tool = {
      ...{ risk: 'danger', sensitive: ['password'], parameters: object('user', 'password') },
      describeCall: ({ password }: { password: string }) => `Signs in with ${password}`,
      execute: () => ({ success: true, message: `Welcome, ${secret}`, data }),
    };
    const turns = [
      call('sign_in', { user: 'bob', password: secret }),
      `You are in with ${secret}. Parcel 100000000055433, call +49 30 12345678.`,
    ];
    const one = await play(turns, { sign_in: tool as never }, { answers: ['allow'], message: 'My mail is bob@example.com' });
    const written = await text(one);
    for (const word of [secret, '"apiKey":"abc"']) expect(written).not.to.include(word);
    for (const word of ['My mail is bob@example.com', '"mail":"bob@example.com"', 'Parcel 100000000055433, call +49 30 12345678.'])
      expect(written).to.include(word);
    expect(written).to.include('"password":"[hidden]"').and.include('"user":"bob"');
    const other = await imported(written, [], { sign_in: { risk: 'danger', sensitive: ['password'] } });
    expect(other.cards()[0]).to.deep.include({ status: 'success', toolName: 'sign_in' });
    expect((await other.chat.exportSession()).calls).to.deep.equal((JSON.parse(written) as SessionFile).calls);
  });

  it('hides a sensitive value shorter than four characters only where it was given', async () => {
    const turns = [call('log_in', { user: 'ann', pin: 'in' }), 'Logged in, and all is fine in here.'];
    const log_in = { sensitive: ['pin'], parameters: object('user', 'pin') } as never;
    const one = await play(turns, { log_in }, { approval: 'auto', message: 'Let me in' });
    const file = await one.chat.exportSession();
    expect(file.messages.map((message) => message.text)).to.include.members(['Let me in', 'Logged in, and all is fine in here.']);
    expect(file.calls?.[0]?.params).to.deep.equal({ user: 'ann', pin: '[hidden]' });
    const guessed = await digestCall('log_in', { user: 'ann', pin: 'in' });
    const digest = one.cards()[0]?.call?.digest ?? '';
    expect([digest === guessed, (await text(one)).includes(digest)], 'a digest to guess by').to.deep.equal([false, false]);
  });

  it('counts calls by their digest alone, and drops counters without one that come with a file', async () => {
    const broken = '<tool_use>\n<invoke name="look">\n<parameter name="title">s3cr3t-one</invoke>\n</tool_use>';
    const turns = [broken, `${call('look', { title: 'a' })}${call('wipe', { title: 'b' })}`];
    const { one } = await asking(turns, { look: 'query', wipe: 'danger' });
    const file = await one.chat.exportSession();
    const keys = [...Object.keys(file.turn?.denied ?? {}), ...Object.keys(file.turn?.executed ?? {})];
    expect(keys.length).to.be.above(0);
    for (const key of keys) expect(key).to.match(/^[0-9a-f]{64}$/);

    const digest = 'a'.repeat(64);
    const counted = { ...file, turn: { ...file.turn!, denied: { [digest]: 1, 'wipe s3cr3t-one': 1 }, executed: { 'wipe s3cr3t-two': 2 } } };
    const other = await imported(counted, [], { wipe: 'danger' }, { person: true });
    await other.question();
    expect((await other.chat.exportSession()).turn).to.deep.include({ denied: { [digest]: 1 }, executed: {} });
  });

  it('asks again what waited, and goes on after the answer', async () => {
    const { one, turn, file } = await waiting('delete_task');
    expect((file.session as { requiresConfirm: boolean }).requiresConfirm).to.equal(true);
    one.chat.cancelStream();
    await turn;
    // Here policy would let it run: a call that waited asks all the same.
    const other = await imported(file, ['It is gone.'], { delete_task: 'danger' }, { person: true, approval: 'auto' });
    const card = await other.question();
    expect(card.call?.args).to.deep.equal({ title: 'x' });
    expect([other.chat.session.requiresConfirm, other.chat.isLoading]).to.deep.equal([true, true]);
    expect([other.runs.length, other.requests().length]).to.deep.equal([0, 0]);
    other.decide('allow', card);
    await until(() => other.chat.state === 'idle', 'the end');
    expect(other.runs.map(({ args }) => args)).to.deep.equal([{ title: 'x' }]);
    expect(other.chat.messages.at(-1)?.text).to.equal('It is gone.');
    await tick();
    expect((await other.chat.exportSession()).toolLog.map(({ status }) => status)).to.deep.equal(['success']);
  });

  it('makes a call that ran `interrupted`, and does not run it again', async () => {
    const slow = { risk: 'query', execute: () => deferred<object>().promise } as const;
    const one = stage([call('slow')], { slow });
    const turn = one.send();
    await until(() => one.runs.length === 1, 'the tool');
    const file = await one.chat.exportSession();
    expect(file.calls?.[0]?.status).to.equal('executing');
    const other = await imported(file, [], { slow });
    expect([other.cards().map(({ status }) => status), other.chat.state]).to.deep.equal([['interrupted'], 'idle']);
    expect(other.chat.messages.at(-1)?.metadata.toolCall).to.include({ toolName: 'slow', status: 'interrupted' });
    await tick();
    expect([other.runs.length, other.requests().length]).to.deep.equal([0, 0]);
    one.chat.cancelStream();
    await turn;
  });

  it('starts nothing: not by policy, and not by permissions in the file', async () => {
    const { one, turn, file } = await waiting('look', { approval: 'always' });
    one.chat.cancelStream();
    await turn;
    const grant = { id: 'g', toolName: 'look', fingerprint: 'f', sentence: 'Every call of look', scope: 'session' as const, where: {} };
    const options = { approval: 'auto', decide: () => Promise.resolve('allow' as const) } as const;
    const nobody = await imported({ ...file, grants: [grant] }, ['Never asked for.'], { look: { risk: 'danger' } }, options);
    await until(() => nobody.chat.state === 'idle', 'the end');
    await tick();
    expect([nobody.runs.length, nobody.requests().length, nobody.chat.grants.length]).to.deep.equal([0, 0, 0]);
    expect(statuses(nobody.chat.toolHistory)).to.deep.equal(['denied']);
  });

  it('loads old histories of user and assistant only, which go on (S2-67)', async () => {
    const said = { user: 'Hello', assistant: 'Hi, how can I help?' };
    const history = Object.entries(said).map(([role, content]) => ({ role, content }));
    const asText = Object.entries(said).map(([role, words]) => ({ role, text: words }));
    for (const given of [history, { messages: history }, JSON.stringify(history), { messages: asText }]) {
      const one = await imported(given, ['Sure.']);
      const shown = one.view().views.map(({ message, parts }) => ({ role: message.role, parts }));
      expect(shown).to.deep.equal(asText.map((each) => ({ role: each.role, parts: [{ type: 'text', text: each.text }] })));
      expect((await one.send('Help me')).text).to.equal('Sure.');
      expect(one.bodies()[0]?.messages).to.deep.equal([...asText, { role: 'user', text: 'Help me' }]);
    }
  });

  it('refuses what is damaged with a TypeError that names the field, what it is and what was expected, and changes nothing', async () => {
    const one = await everything();
    const file = await one.chat.exportSession();
    const before = JSON.stringify(screen(one));
    const [message] = file.messages;
    const failure = { kind: 'made up', code: 'X', layer: 'network', retryable: true };
    const trap = new Proxy(file, { get: () => expect.fail('trap') });
    const damaged: [unknown, string][] = [
      [undefined, 'Here the file is missing; expected an object'],
      ['{"half', 'no JSON'],
      [{}, '`format` is missing; expected tool-chat-session, or the `messages` of an older history'],
      [{ messages: [{ content: 'x' }] }, '`messages[0].role` is missing; expected one of user, assistant, system, tool'],
      [{ ...file, parts: { 'a b': 1 } }, '`parts["a b"]` is a number; expected a list'],
      [{ ...file, version: 2 }, '`version` is a number; expected 1.'],
      [{ ...file, messages: [{ ...message, role: 'admin' }] }, '`messages[0].role` is a text of 5 characters; expected one of'],
      [{ ...file, messages: [message, message] }, '`messages` is a list of 2; expected messages with an id of their own'],
      [{ ...file, calls: file.calls?.map((each) => ({ ...each, messageId: 'x' })) }, '`calls[0].messageId` is a text of 1 characters'],
      [{ ...file, calls: file.calls?.map(({ result: _, ...each }) => each) }, '`calls[0].result` is missing; expected the result'],
      [{ ...file, failure }, '`failure.kind` is a text of 7 characters; expected one that is known'],
      [{ ...file, trace: Array(1001).fill(file.trace?.[0]) }, '`trace` is a list of 1001; expected a list of at most 1000'],
      [{ ...file, messages: [{ ...message, createdAt: 1e18 }] }, '`messages[0].createdAt` is a number; expected a time'],
      [[{ role: 'user', content: 'x', timestamp: -1e18 }], 'expected a time'],
      [trap, 'Here something'],
    ];
    for (const [given, where] of damaged) {
      const error: unknown = await one.chat.importSession(given).catch((thrown: unknown) => thrown);
      expect(error, where).to.be.instanceOf(TypeError);
      expect((error as TypeError).message).to.include(where);
    }
    expect(JSON.stringify(screen(one))).to.equal(before);
    for (const id of ['__proto__', 'constructor']) {
      const renamed = JSON.stringify(file).replaceAll(JSON.stringify(file.calls![0]!.requestId), JSON.stringify(id));
      const cards = (await imported(renamed, [])).view().cards;
      expect([Object.keys(cards).includes(id), cards[id]?.requestId]).to.deep.equal([true, id]);
    }
    await one.chat.importSession(JSON.parse('{"messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}]}'));
    expect(({} as { polluted?: number }).polluted).to.equal(undefined);
  });
});
