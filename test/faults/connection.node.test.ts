/** Replies that break, refusals, bodies that lie. Over real sockets. */
import { expect } from 'chai';
import { call, talk, useFaultServer, type Talk, type TalkOptions } from '../conversation/talk.js';
import { CLEAN, isWell, drawnTimes } from './probe.js';

/** Waits between attempts are short; the limits on silence stay as they are. */
const hurried = {
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms >= 800 && ms <= 4800 ? 1 : ms),
  clearTimeout: (id: unknown) => {
    clearTimeout(id as ReturnType<typeof setTimeout>);
  },
} as unknown as NonNullable<TalkOptions['clock']>;

const said = ({ chat }: Talk) => chat.messages.map(({ text }) => text).join('\n');
const times = (text: string, part: string) => text.split(part).length - 1;

/** Text, then a call; cut at that many bytes of its stream. What came, and what a person's retry makes of it. */
async function cutAndRetried({ bytes, tok, how }: { bytes: number; tok: number; how: string }): Promise<Talk> {
  const text = `On it. ${call('create_task', { title: 'the weekly report of all of us' })}That should be all.`;
  const one = talk([{ text, q: `tok=${String(tok)}&abort=${String(bytes)}${how}`, times: 1 }, 'Done.', CLEAN], { clock: hurried });
  one.tool('create_task');
  const { reason } = await one.send();
  expect(reason).to.equal('cut');
  expect(one.requests(), 'text had come: nothing is asked again by itself').to.have.length(1);
  expect(one.runs.length, 'tools of a reply that was cut').to.equal(0);
  expect(await one.chat.retryLastMessage()).to.include({ success: true, text: 'Done.' });
  return one;
}

describe('faults of the connection', () => {
  useFaultServer();

  drawnTimes(
    'drop mid-call: nothing runs of what was cut, and once retried it runs once and is told once',
    async ({ below, one: pick }) => {
      const tok = 3 + below(6);
      const one = await cutAndRetried({ bytes: 180 + below(700), tok, how: pick(['', '&rst=1']) });
      expect(one.runs.map(({ args }) => args)).to.deep.equal([{ title: 'the weekly report of all of us' }]);
      expect(times(said(one), 'On it.'), said(one)).to.equal(1);
      expect(one.chat.messages.filter(({ role }) => role === 'user')).to.have.length(1);
      await isWell(one);
    },
  );

  for (const body of ['html', 'empty', 'huge', 'hang', 'sse'])
    it(`error body ${body}: a short sentence, and nothing of what the server wrote`, async () => {
      const one = talk([{ text: CLEAN, q: `status=400&body=${body}`, times: 1 }], { requestTimeout: 2000, logLevel: 'debug' });
      const { error } = await one.send();
      expect(error?.message.length).to.be.within(5, 500);
      expect(JSON.stringify(one.view().failure)).to.not.match(/xxxx|__xss|<script|onerror/);
      await isWell(one);
    });
});
