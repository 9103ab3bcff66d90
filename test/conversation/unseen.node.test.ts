import { expect } from 'chai';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { talk, useFaultServer, type Talk, type TalkOptions } from './talk.js';

const picture = { type: 'image/png', name: 'a.png', url: 'data:image/png;base64,iVBORw0KGgo=' };
const paper = { type: 'application/pdf', name: 'b.pdf', url: 'data:application/pdf;base64,JVBERg==' };

const notice = (one: Talk) => one.view().notices?.find(({ id }) => id === 'unseen')?.text;
const warnings = (one: Talk) => one.entries.filter(({ code }) => code === 'message.unseen');

describe('attachments that a wire does not carry (S0-189)', () => {
  useFaultServer();

  it('are told to the person before the message is sent, and to the log', async () => {
    let before: string | undefined;
    const one: Talk = talk(['I see no picture.'], {
      beforeSend(request) {
        before = notice(one);
        return request;
      },
    });
    await one.chat.sendMessage('What is this?', { attachments: [picture, paper] });
    expect(before).to.equal('The assistant cannot see “a.png”, “b.pdf”: this service takes text only. Say in words what matters');
    expect(notice(one)).to.equal(before);
    expect(warnings(one)).to.have.lengthOf(1);
    expect(warnings(one)[0]).to.include({ level: 'warn' });
    expect(warnings(one)[0]?.context).to.include({ wire: 'cutie', count: 2 });
  });

  it('are told in Chinese where that is spoken', async () => {
    const one = talk(['好的。'], { texts: zhCN, lang: 'zh-CN' } as TalkOptions);
    await one.chat.sendMessage('这是什么？', { attachments: [picture] });
    expect(notice(one)).to.equal('助手看不到“a.png”：此服务只接收文字。请用文字说明要点');
  });

  it('are told once a message, however often it is sent, and no more with the next one', async () => {
    const one = talk([{ text: 'No.', q: 'fault=http500', times: 1 }, 'No.', 'Well.'], { maxRetries: 1 } as TalkOptions);
    await one.chat.sendMessage('See?', { attachments: [picture] });
    expect(warnings(one)).to.have.lengthOf(1);
    await one.chat.sendMessage('It is a cat.');
    expect(notice(one)).to.equal(undefined);
    expect(warnings(one)).to.have.lengthOf(1);
  });

  it('are sent by name where the message has no words', async () => {
    const one = talk(['Which picture?']);
    const result = await one.chat.sendMessage('', { attachments: [picture] });
    expect(result.success).to.equal(true);
    expect(one.bodies()[0]?.messages).to.deep.equal([{ role: 'user', text: '[a.png, image/png]' }]);
    expect(notice(one)).to.be.a('string');
  });

  it('are sent by name beside tools, too', async () => {
    const one = talk(['Which picture?']);
    one.tool('create_task');
    await one.chat.sendMessage('', { attachments: [picture] });
    expect(one.bodies()[0]?.messages.at(-1)).to.deep.equal({ role: 'user', text: '[a.png, image/png]' });
  });

  it('are not spoken of where the wire carries them', async () => {
    let sent = '';
    const one = talk([], {
      wire: 'openai',
      beforeSend({ body }) {
        sent = JSON.stringify(body);
        return null;
      },
    });
    await one.chat.sendMessage('What is this?', { attachments: [picture] });
    expect(notice(one)).to.equal(undefined);
    expect(warnings(one)).to.deep.equal([]);
    expect(sent).to.include(picture.url);
  });
});
