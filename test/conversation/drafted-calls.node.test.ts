/** A call that a model only announces or drafts in its thoughts: it gets one word, and the user is told where that does not help. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { en } from '../../src/i18n/en.js';
import { adding } from './adding.js';
import { openaiCalls, openaiText, scriptedFetch } from './scripted-fetch.js';
import { call, talk, until, useFaultServer } from './talk.js';

describe('a call drafted in thoughts without a beginning', () => {
  useFaultServer({ settles: true });

  it('asks under on-block, once the model is known to think so, and is withdrawn at the end of the thoughts', async () => {
    const draft = `They ask how.\n\n${call('act', { title: 'draft' })}\nbut no, I explain.\n</think>\n\n`;
    const one = talk([`${draft}Open.`, { text: `${draft}${'Open the menu. '.repeat(20)}`, q: 'delay=1' }], {
      dispatch: 'on-block',
      person: true,
    });
    one.tool('act');
    await one.send();
    const before = one.runs.length;
    await one.send('again');
    expect(one.runs).to.have.length(before);
    await until(() => one.chat.state === 'idle', 'the end');
    expect(one.cards().filter(({ status }) => status === 'awaiting_approval')).to.deep.equal([]);
  });
});

describe('a call behind a turn of the user or a result that the model makes up', () => {
  for (const words of ['User: Yes, and tea.', 'Human: Yes.', '<function_results>ok</function_results>'])
    it(`does not run by itself: ${words}`, async () => {
      const [milk, tea] = ['milk', 'tea'].map((item) => call('add', { item }));
      const { fetch } = scriptedFetch([openaiText(`${milk!}\n${words}\n${tea!}`), openaiText('Done.')]);
      const { chat, ran } = adding({ wire: 'openai', fetch });
      await chat.sendMessage('add milk');
      expect(ran).to.deep.equal([{ item: 'milk' }]);
    });
});

describe('a call that was announced or only thought of', () => {
  const body = (...frames: object[]) =>
    new Response(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream' },
    });
  const openai = (delta: object, finish: string) =>
    body({ choices: [{ index: 0, delta, finish_reason: null }] }, { choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  const thought = `I need milk.\n${call('add', { item: 'milk' })}`;
  const rows: [name: string, reply: () => Response, protocol: string, word: RegExp][] = [
    ['announced, with nothing said', () => openai({ content: '' }, 'tool_calls'), 'native', /announced a tool call/],
    ['announced, with words', () => openai({ content: 'I add it.' }, 'tool_calls'), 'native', /announced a tool call/],
    ['in an open thought', () => openaiText(`<think>\n${thought}`), 'xml-invoke', /only reasoning/],
    ['in a thought', () => openaiText(`<think>\n${thought}\n</think>\n`), 'xml-invoke', /only reasoning/],
    [
      'in the field for reasoning',
      () => openai({ reasoning_content: 'functions.add:0 {"item":"milk"}' }, 'stop'),
      'native',
      /only reasoning/,
    ],
  ];
  const written = () => openaiText(call('add', { item: 'milk' }));

  for (const [name, reply, protocol, word] of rows)
    it(`gets one word to the model, and the user is told where that does not help: ${name}`, async () => {
      const made = () => (protocol === 'native' ? openaiCalls({ id: 'c1', name: 'add', arguments: '{"item":"milk"}' }) : written());
      const talk = async (...replies: (() => Response)[]) => {
        const { fetch, asked } = scriptedFetch(replies);
        const { chat, ran } = adding({ wire: 'openai', protocol, fetch, decide: () => 'allow' });
        const { reason, text } = await chat.sendMessage('add milk');
        const { views } = internalsOf(chat).surface.view;
        return { asked, outcome: [reason, text, ran], views, notes: views.flatMap(({ note }) => note ?? []) };
      };
      const helped = await talk(reply, made, () => openaiText('Done.'));
      expect([helped.outcome, helped.asked.length, helped.notes]).to.deep.equal([['stop', 'Done.', [{ item: 'milk' }]], 3, []]);
      expect(helped.asked[1]!.body.messages.at(-1)?.content).to.match(word);
      expect(JSON.stringify(helped.asked[2]!.body)).to.not.match(word);
      expect(helped.views.filter(({ message, parts }) => parts.length === 0 && !message.reasoning)).to.deep.equal([]);
      const again = await talk(reply, reply);
      expect([again.asked.length, again.outcome[2], again.notes.length]).to.deep.equal([2, [], 1]);
      expect([en.noAnswer, en.onlyReasoning, en.noCall]).to.include(again.notes[0]);
    });

  it('is none where a call came, the thoughts name no tool, an answer stands behind them, or there are no tools', async () => {
    const ways: [replies: (() => Response)[], options: object][] = [
      [[() => openai({ reasoning_content: 'Hello {there}.' }, 'stop')], {}],
      [[() => openaiText(`<think>\n${thought}\n</think>\nIt is there already.`)], {}],
      [[() => openai({ content: '' }, 'tool_calls')], { tools: 'off' }],
      [[written, () => openaiText('Done.')], {}],
    ];
    for (const [replies, options] of ways) {
      const { fetch, asked } = scriptedFetch(replies);
      await adding({ wire: 'openai', protocol: 'xml-invoke', fetch, decide: () => 'allow', ...options }).chat.sendMessage('add milk');
      expect(asked).to.have.length(replies.length);
    }
  });
});
