/** What the inspector makes of machines, rows and files, and its words. */
import { expect } from 'chai';
import { conversationMachine } from '../../src/conversation/chart/conversation-machine.js';
import { boxOf, callStatesOf, litBy } from '../../src/inspector/chart-boxes.js';
import { inspectorWords, inspectorWordsFor } from '../../src/inspector/inspector-words.js';
import { after, recordingOf, sessionIn, stepsOf } from '../../src/inspector/recording.js';
import { filterRows, type TraceRow } from '../../src/inspector/trace-rows.js';
import type { SessionFile } from '../../src/storage/session-format.js';

describe('the parts of the inspector', () => {
  it('draws every state of the machine that runs, and lights those that a value names', () => {
    const root = boxOf(conversationMachine.root);
    const ids = (box: typeof root): string[] => [box.id, ...box.states.flatMap(ids)];
    const all = ids(root);
    for (const id of ['', '.talk.idle', '.talk.turn.reply', '.memory.summarising']) expect(all).to.include(`conversation${id}`);
    expect(root.states[0]?.states.find(({ key }) => key === 'turn')?.isParallel).to.equal(true);
    const lit = litBy({ turn: { reply: 'reading', work: 'holding' } }, root.id);
    expect([...lit]).to.deep.equal([
      ...['conversation.turn', 'conversation.turn.reply', 'conversation.turn.reply.reading'],
      ...['conversation.turn.work', 'conversation.turn.work.holding'],
    ]);
    expect([...litBy('idle', root.id)]).to.deep.equal(['conversation.idle']);
    expect(callStatesOf({ 'call-1': { getSnapshot: () => ({ value: 'asking' }) }, reader: { getSnapshot: () => ({}) } })).to.deep.equal([
      { id: 'call-1', value: 'asking' },
    ]);
  });

  it('filters rows by kind and by words', () => {
    const rows: TraceRow[] = [
      { at: 1, kind: 'event', name: 'tool-chat-send', text: '{"text":"Add Milk"}' },
      { at: 2, kind: 'log', name: 'wire.chosen', text: 'Wire: cutie' },
    ];
    expect(filterRows(rows, new Set(['event', 'log']), '')).to.deep.equal(rows);
    expect(filterRows(rows, new Set(['log']), '')).to.deep.equal([rows[1]]);
    expect(filterRows(rows, new Set(['event', 'log']), 'milk')).to.deep.equal([rows[0]]);
  });

  it('takes the session out of a recording, and goes through it message by message', () => {
    const session = { format: 'tool-chat-session', messages: [{ id: 'a' }, { id: 'b' }] } as unknown as SessionFile;
    expect(sessionIn(JSON.stringify(recordingOf(session, [])))).to.deep.equal(session);
    expect(sessionIn(JSON.stringify(session))).to.deep.equal(session);
    expect(stepsOf(session)).to.equal(2);
    expect(after(session, 1).messages.map(({ id }) => id)).to.deep.equal(['a']);
    expect(after(session, 2)).to.equal(session);
    expect(stepsOf([{ role: 'user', content: 'x' }] as unknown as SessionFile)).to.equal(1);
    expect(() => sessionIn('{')).to.throw(SyntaxError);
  });

  it('says everything in seven languages, and English to all others', () => {
    const keys = Object.keys(inspectorWordsFor('en'));
    expect(Object.keys(inspectorWords)).to.deep.equal(['en', 'zh', 'ar', 'de', 'es', 'fr', 'ja']);
    for (const [lang, words] of Object.entries(inspectorWords)) {
      expect(Object.keys(words), lang).to.deep.equal(keys);
      for (const [key, said] of Object.entries(words)) {
        const text = typeof said === 'function' ? (said as (...given: unknown[]) => string)('⟦a⟧', '⟦b⟧') : JSON.stringify(said);
        expect(text.trim(), `${lang} ${key}`).to.not.equal('');
        if (typeof said === 'function') expect(text, `${lang} ${key}`).to.include('⟦a⟧');
      }
    }
    expect(inspectorWordsFor('zh-CN').tools).to.equal('工具');
    expect(inspectorWordsFor('tlh')).to.equal(inspectorWordsFor('en'));
    expect(inspectorWordsFor('constructor')).to.equal(inspectorWordsFor('en'));
  });
});
