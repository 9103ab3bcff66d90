/** What looks for private values in the requests of the other tests (`node test/run.mjs canaries`) finds them. */
import { expect } from 'chai';
import { CANARIES, canariesIn, canaryRules, watchOf } from '../helpers/canaries/canaries.js';
import { withCanaries } from '../helpers/canaries/conversation.js';
import { cutieText } from './scripted-fetch.js';

/** What is noted of a talk in which the person, the context and a tool name the canaries. */
async function noted(rules: Parameters<typeof withCanaries>[1], more: object = {}) {
  const before = { ...watchOf() };
  const bodies: string[] = [];
  const replies = ['<tool_use>\n<invoke name="look">\n</invoke>\n</tool_use>\n', 'Done', 'Again'];
  const chat = withCanaries(
    {
      ...{ endpoint: 'http://localhost:1/', wire: 'cutie', approval: 'auto', logLevel: 'off' },
      fetch: (_url, init) => {
        bodies.push(String(init?.body));
        return Promise.resolve(cutieText(replies.shift() ?? 'No more'));
      },
      ...more,
    },
    rules,
  );
  chat.registerTool({ name: 'look', description: 'Looks.', risk: 'query', execute: () => ({ success: true, message: 'seen' }) });
  await chat.sendMessage('Look');
  await chat.sendMessage('Again');
  const { looked, hidden, leaks } = watchOf();
  chat.dispose();
  // Found on purpose: they are taken away, so that no other test is blamed.
  return { looked: looked - before.looked, hidden: hidden - before.hidden, leaks: leaks.splice(0), bodies };
}

describe('the search for canaries', () => {
  const bytes = (text: string) => Buffer.from(text).toString('base64');
  const escaped = (text: string) => text.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const written: Record<string, (value: string) => Parameters<typeof canariesIn>[0]> = {
    'as they are': (value) => ({ url: 'http://a/', body: `so ${value}.` }),
    'in other case': (value) => ({ url: 'http://a/', body: value.toUpperCase() }),
    'in JSON in JSON': (value) => ({ url: 'http://a/', body: JSON.stringify({ a: JSON.stringify([value]) }) }),
    'escaped to ASCII': (value) => ({ url: 'http://a/', body: escaped(JSON.stringify(value)) }),
    'in an address': (value) => ({ url: `http://a/?q=${encodeURIComponent(value)}` }),
    'in a header': (value) => ({ url: 'http://a/', headers: { 'x-user': encodeURIComponent(value) } }),
    'in bytes': (value) => ({ url: 'http://a/', body: new TextEncoder().encode(value) }),
    'in base64, behind one byte': (value) => ({ url: 'http://a/', body: bytes(`.${value}.`) }),
    'in base64, behind two bytes': (value) => ({ url: 'http://a/', body: bytes(`..${value}..`) }),
    'cut off': (value) => ({ url: 'http://a/', body: `… ${value.slice(0, 12)}` }),
    'begun in the middle': (value) => ({ url: 'http://a/', body: value.slice(-12) }),
  };

  it('finds each of them, however it is written, and nothing where there is none', () => {
    for (const [how, request] of Object.entries(written))
      for (const [name, value] of Object.entries(CANARIES)) expect(canariesIn(request(value)).join(), `${name} ${how}`).to.contain(name);
    const harmless = { url: 'http://a/api?q=1', headers: { accept: 'text/event-stream' }, body: 'anna@example.org, [CANARY_MAIL_1], Zoë' };
    expect(canariesIn(harmless)).to.deep.equal([]);
  });

  it('finds all of them in each request of a conversation that does not hide them, and the one that is not hidden', async () => {
    const { looked, hidden, leaks: all } = await noted([]);
    expect({ looked, hidden, leaks: all.length }).to.deep.equal({ looked: 3, hidden: 0, leaks: 3 });
    for (const leak of all) for (const name of Object.keys(CANARIES)) expect(leak).to.contain(`${name} in body`);
    for (const { name } of canaryRules) {
      const { leaks } = await noted(canaryRules.filter((rule) => rule.name !== name));
      expect(leaks, name).to.have.length(3);
      const value = name.replace('canary_', '');
      for (const leak of leaks) expect(leak.split(' of a request')[0]).to.equal(`${value} in body`);
    }
  });
});
