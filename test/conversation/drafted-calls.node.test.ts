/** A call that a model only drafts does not run where the template has swallowed the beginning of its thoughts. */
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { en } from '../../src/i18n/en.js';
import { adding } from './adding.js';
import { play } from './play.js';
import { openaiCalls, openaiText, scriptedFetch } from './scripted-fetch.js';
import { call, talk, until, useFaultServer } from './talk.js';

const draft = `They ask how.\n\n${call('act', { title: 'draft' })}\nbut no, I explain.\n</think>\n\n`;

describe('a call drafted in thoughts without a beginning', () => {
  useFaultServer({ settles: true });

  it('does not run, has no card, and is shown as reasoning', async () => {
    const one = await play([`${draft}Open the menu.`], 'act');
    expect([one.success, one.text.trim(), one.runs, one.cards(), one.requests().length]).to.deep.equal([true, 'Open the menu.', [], [], 1]);
    const [message] = one.chat.messages.filter(({ role }) => role === 'assistant');
    expect(message?.text.trim()).to.equal('Open the menu.');
    expect(message?.reasoning).to.match(/^They ask how\.[^]*draft[^]*I explain\./);
  });

  it('does not hold back the call that is meant', async () => {
    const one = await play([`${draft}${call('act', { title: 'real' })}`, 'Done.'], 'act');
    expect([one.runs.map(({ args }) => args['title']), one.cards().length]).to.deep.equal([['real'], 1]);
    // The model reads its answer again, not its draft.
    expect(JSON.stringify(one.bodies()[1])).to.include('real').and.not.include('draft');
  });

  it('is taken from the screen of one who follows the reply, and the broken one from the round', async () => {
    const shown: string[] = [];
    const one = talk([`So\n<tool_use>\n<invoke name="act">\n<parameter>x</parameter>\n</invoke>\n</tool_use>\n${draft}Open the menu.`], {
      onEach(event, self) {
        if (event.type === 'stream-start')
          queueMicrotask(() => {
            const id = self.view().views.at(-1)?.message.id ?? '';
            internalsOf(self.chat).surface.follow(id, {
              text: (text) => void shown.push(text),
              reasoning: (text) => void shown.push(`(${text})`),
              call: () => void shown.push('call'),
              restart: () => void shown.splice(0),
              end: () => undefined,
            });
          });
      },
    });
    one.tool('act');
    const { results } = await one.send();
    expect([results, one.runs]).to.deep.equal([[], []]);
    expect(shown).to.not.include('call');
  });

  it('asks under on-block, once the model is known to think so, and is withdrawn at the end of the thoughts', async () => {
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

  it('runs where thoughts have a beginning and an end before it', async () => {
    const turns = [`<think>Should I?\n</think>\n\n${call('act', { title: 'real' })}`, 'Done.'];
    expect((await play(turns, 'act', { dispatch: 'on-block' })).runs).to.have.length(1);
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
  const real = () => openaiCalls({ id: 'c1', name: 'add', arguments: '{"item":"milk"}' });
  const written = () => openaiText(call('add', { item: 'milk' }));

  for (const [name, reply, protocol, word] of rows) {
    it(`gets one word to the model: ${name}`, async () => {
      const native = protocol === 'native';
      const { fetch, asked } = scriptedFetch([reply, native ? real : written, () => openaiText('Done.')]);
      const { chat, ran } = adding({ wire: 'openai', protocol, fetch, decide: () => 'allow' });
      const { reason, text } = await chat.sendMessage('add milk');
      expect([reason, text, ran, asked.length]).to.deep.equal(['stop', 'Done.', [{ item: 'milk' }], 3]);
      expect(asked[1]!.body.messages.at(-1)?.content).to.match(word);
      expect(JSON.stringify(asked[2]!.body)).to.not.match(word);
      const { views } = internalsOf(chat).surface.view;
      expect(views.flatMap(({ note }) => note ?? [])).to.deep.equal([]);
      expect(views.filter(({ message, parts }) => parts.length === 0 && !message.reasoning)).to.deep.equal([]);
    });

    it(`is told to the user where the model does it again: ${name}`, async () => {
      const { fetch, asked } = scriptedFetch([reply, reply]);
      const { chat, ran } = adding({ wire: 'openai', protocol, fetch, decide: () => 'allow' });
      await chat.sendMessage('add milk');
      expect([asked.length, ran]).to.deep.equal([2, []]);
      const notes = internalsOf(chat).surface.view.views.flatMap(({ note }) => note ?? []);
      expect(notes).to.have.length(1);
      expect([en.noAnswer, en.onlyReasoning, en.noCall]).to.include(notes[0]);
    });
  }

  it('is none where the service announces one with each answer, once that has shown', async () => {
    const replies = ['Hello.', 'Hello again.', 'Fine.', 'Well.'].map((content) => () => openai({ content }, 'tool_calls'));
    const { fetch, asked } = scriptedFetch(replies);
    const { chat } = adding({ wire: 'openai', protocol: 'native', fetch });
    await chat.sendMessage('hello');
    for (const text of ['Fine.', 'Well.']) expect(await chat.sendMessage('and?')).to.include({ text, reason: 'stop' });
    expect(asked).to.have.length(4);
    expect(internalsOf(chat).surface.view.views.at(-1)?.note).to.equal(undefined);
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
