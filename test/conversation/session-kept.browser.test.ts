/** What is known of a session besides its messages comes back with them: log, trace, and what was spent. */
import { expect } from '@open-wc/testing';
import { createConversation, type Conversation } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { cutieText, scriptedFetch } from './scripted-fetch.js';

const look = '<tool_use>\n<invoke name="look">\n</invoke>\n</tool_use>\n';

function open(sessionId: string, texts: string[], budget = 0): Conversation {
  const chat = createConversation({
    ...{ endpoint: 'https://model.test/', wire: 'cutie', storage: 'session', sessionId, tokenBudget: budget, logLevel: 'off' },
    fetch: scriptedFetch(texts.map((text) => () => cutieText(text))).fetch,
  });
  chat.registerTool({ name: 'look', description: 'Looks.', risk: 'query', execute: () => 'seen' });
  return chat;
}

async function until(condition: () => unknown, what: string): Promise<void> {
  for (const end = performance.now() + 8000; !(await condition()); await new Promise((resolve) => setTimeout(resolve, 10)))
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}`);
}

describe('a session that is kept', () => {
  it('has its log, its trace and its budget after a reload', async () => {
    const sessionId = `kept-${String(Math.random())}`;
    const first = open(sessionId, [look, `Word ${'word '.repeat(80)}`], 60);
    await first.sendMessage('Look');
    const before = await first.exportSession();
    expect(before.toolLog).to.have.length(1);
    const stored = () =>
      Object.values({ ...sessionStorage }).some((text) => String(text).includes(sessionId) && String(text).includes('"toolLog"'));
    await until(stored, 'what is stored');
    first.dispose();

    const second = open(sessionId, ['Never asked for.'], 60);
    await until(async () => (await second.exportSession()).trace?.some(({ what }) => what === 'run'), 'the trace');
    const after = await second.exportSession();
    expect(after.toolLog).to.deep.equal(before.toolLog);
    expect(after.createdAt).to.equal(before.createdAt);
    expect(after.trace?.slice(0, before.trace?.length)).to.deep.equal(before.trace);
    expect((await second.sendMessage('And now?')).reason).to.equal('budget');
    second.dispose();
  });

  it('counts nothing twice when the element leaves the page and comes back', async () => {
    const chat = open(`kept-${String(Math.random())}`, [look, 'Seen.', 'Again.']);
    await chat.sendMessage('Look');
    const before = await chat.exportSession();
    const { leave } = internalsOf(chat);
    leave();
    await chat.sendMessage('Again');
    const after = await chat.exportSession();
    const first = before.trace?.[0];
    expect(
      after.trace?.filter(({ at, what, reason }) => at === first?.at && what === first.what && reason === first.reason),
    ).to.have.length(1);
    expect(after.toolLog).to.deep.equal(before.toolLog);
    chat.dispose();
  });
});
