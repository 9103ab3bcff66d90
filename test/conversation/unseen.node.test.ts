/** Attachments that a wire does not carry (S0-189). */
import { expect } from 'chai';
import { talk, useFaultServer, type Talk, type TalkOptions } from './talk.js';

const picture = { type: 'image/png', name: 'a.png', url: 'data:image/png;base64,iVBORw0KGgo=' };
const paper = { type: 'application/pdf', name: 'b.pdf', url: 'data:application/pdf;base64,JVBERg==' };

const notice = (one: Talk) => one.view().notices?.find(({ id }) => id === 'unseen')?.text;
const warnings = (one: Talk) => one.entries.filter(({ code }) => code === 'message.unseen');

describe('attachments that a wire does not carry (S0-189)', () => {
  useFaultServer({ settles: true });

  it('are told to the user before the message is sent, and to the log', async () => {
    let before: string | undefined;
    const one: Talk = talk(['I see no picture.'], { beforeSend: (request) => ((before = notice(one)), request) });
    await one.chat.sendMessage('What is this?', { attachments: [picture, paper] });
    const expected = 'The assistant cannot see “a.png”, “b.pdf”: this service takes text only. Say in words what matters';
    expect([before, notice(one)]).to.deep.equal([expected, expected]);
    expect(warnings(one)).to.have.lengthOf(1);
    expect(warnings(one)[0]?.context).to.include({ wire: 'cutie', count: 2 });
  });

  it('are told once a message, however often it is sent, and no more with the next one', async () => {
    const one = talk([{ text: 'No.', q: 'fault=http500', times: 1 }, 'No.', 'Well.'], { maxRetries: 1 } as TalkOptions);
    await one.chat.sendMessage('See?', { attachments: [picture] });
    expect(warnings(one)).to.have.lengthOf(1);
    await one.chat.sendMessage('It is a cat.');
    expect(notice(one)).to.equal(undefined);
    expect(warnings(one)).to.have.lengthOf(1);
  });

  for (const beside of ['no tools', 'tools'])
    it(`are sent by name where the message has no words, beside ${beside}`, async () => {
      const one = talk(['Which picture?']);
      if (beside === 'tools') one.tool('create_task');
      expect((await one.chat.sendMessage('', { attachments: [picture] })).success).to.equal(true);
      expect(one.bodies()[0]?.messages).to.deep.equal([{ role: 'user', text: '[a.png, image/png]' }]);
      expect(notice(one)).to.be.a('string');
    });

  it('are not told where the wire carries them', async () => {
    let sent = '';
    const one = talk([], { wire: 'openai', beforeSend: ({ body }) => ((sent = JSON.stringify(body)), null) });
    await one.chat.sendMessage('What is this?', { attachments: [picture] });
    expect([notice(one), warnings(one)]).to.deep.equal([undefined, []]);
    expect(sent).to.include(picture.url);
  });
});
