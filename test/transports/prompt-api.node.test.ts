import { expect } from 'chai';
import { promptApi } from '../../src/transports/prompt-api.js';
import type { ReplyOutcome, ReplyRequest } from '../../src/transports/reply-request.js';
import { FakeLanguageModel, named, replaceGlobal, type Script } from './fake-language-model.js';
import { askFor, requestFor } from './reply.js';

const { opened } = FakeLanguageModel;
let uninstall = () => {};
afterEach(() => uninstall());

const messages = [
  { role: 'user', text: 'Hi' },
  { role: 'assistant', text: 'Hello' },
  { role: 'user', text: 'How are you?' },
];

function ask(script: Script | null, more: Partial<ReplyRequest> = {}) {
  if (script) uninstall = FakeLanguageModel.install(script);
  return askFor({ wire: promptApi, endpoint: 'prompt-api:', turn: { ...requestFor().turn, messages }, ...more });
}

const failureIn = (outcome: ReplyOutcome) => (outcome.type === 'failed' ? outcome.error : undefined);

describe('wire prompt-api', () => {
  it('opens a session with the history in it, and asks the last question', async () => {
    const { outcome, events, text } = await ask({ answer: ['Fine', ', 你好', ' 🤔'] });
    expect(outcome).to.deep.equal({ type: 'ended', finish: 'stop', proof: 'proved' });
    expect(text).to.equal('Fine, 你好 🤔');
    expect(opened).to.have.length(1);
    expect(opened[0]!.initialPrompts).to.deep.equal([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ]);
    expect(opened[0]!.asked).to.equal('How are you?');
    expect(opened[0]!.destroyed).to.equal(true);
    expect(events.at(-1)).to.deep.equal({ type: 'usage', input: 'Be brief.HiHelloHow are you?'.length, output: 'Fine, 你好 🤔'.length });
  });

  it('sends what the host let through, and nothing of what it did not', async () => {
    await ask({}, { beforeSend: (request) => ({ ...request, body: { messages: [{ role: 'user', content: 'masked' }] } }) });
    expect(opened[0]!.initialPrompts).to.deep.equal([]);
    expect(opened[0]!.asked).to.equal('masked');
    uninstall();
    expect(failureIn((await ask({}, { beforeSend: () => null })).outcome)?.kind).to.equal('refused');
    expect(opened).to.have.length(0);
  });

  it('tells how far the download has come, which is no answer yet', async () => {
    const { outcome, events } = await ask({
      availability: 'downloadable',
      downloads: [0, 0.5, 1],
      answer: [named('UnknownError', 'broke')],
    });
    expect(events).to.deep.equal([0, 0.5, 1].map((fraction) => ({ type: 'progress', fraction })));
    expect(outcome).to.deep.include({ type: 'failed', afterFirstEvent: false });
    uninstall();
    expect((await ask({ downloads: [0, 1] })).events.some((event) => event.type === 'progress')).to.equal(false);
  });

  it('fails where there is no model', async () => {
    uninstall = replaceGlobal('LanguageModel', undefined);
    const failures = [
      failureIn((await ask(null).finally(uninstall)).outcome),
      failureIn((await ask({ availability: 'unavailable' })).outcome),
      failureIn((await ask({ create: named('NotSupportedError') })).outcome),
      failureIn((await ask({ create: named('NotAllowedError') })).outcome),
    ];
    for (const failure of failures)
      expect(failure).to.deep.equal({ kind: 'no-model', code: 'CONFIG', layer: 'business', retryable: false });
  });

  it('asks for a click when the model has to be downloaded and none came before', async () => {
    const restore = replaceGlobal('navigator', { userActivation: { isActive: false } });
    const { outcome } = await ask({ availability: 'downloadable', create: named('NotAllowedError') }).finally(restore);
    expect(failureIn(outcome)).to.deep.include({ kind: 'needs-gesture', retryable: true });
  });

  it('says that the conversation is too long, for the history and for the question', async () => {
    for (const contextWindow of [5, 20]) {
      const { outcome } = await ask({ contextWindow });
      expect(failureIn(outcome)?.kind).to.equal('overflow');
      expect(opened.every(({ destroyed }) => destroyed)).to.equal(true);
    }
  });

  it('keeps what came before an error, and says what the model said', async () => {
    const { outcome, text } = await ask({ answer: ['half', named('UnknownError', 'it broke')] });
    expect(text).to.equal('half');
    expect(outcome).to.deep.include({ type: 'failed', afterFirstEvent: true });
    expect(failureIn(outcome)).to.deep.include({ kind: 'endpoint', detail: 'it broke' });
    expect(opened[0]!.destroyed).to.equal(true);
  });

  it('stops at once when the person does, and leaves no session behind', async () => {
    const stop = new AbortController();
    const reply = ask({ answer: ['half', 'hang'] }, { signal: stop.signal });
    while (opened[0]?.asked === undefined || opened[0].asked === '') await new Promise((resolve) => setTimeout(resolve));
    stop.abort();
    expect((await reply).outcome).to.deep.equal({ type: 'aborted' });
    expect(opened[0].destroyed).to.equal(true);
    expect((await ask({}, { signal: stop.signal })).outcome).to.deep.equal({ type: 'aborted' });
    expect(opened).to.have.length(0);
  });
});
