/** The two requests of the scripted model that take more than one step, through the whole conversation, in every notation. */
import { expect } from 'chai';
import { createConversation } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { scriptedEndpoint } from '../../src/scripted-model/index.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

function open(protocol: string, lang: string, planning: 'off' | 'threshold' = 'threshold') {
  const endpoint = scriptedEndpoint('cutie', { delayMs: 0, chunkSize: 7 });
  const ran: string[] = [];
  const chat = createConversation({
    ...{ endpoint: 'https://model.test/chat', wire: 'cutie', protocol, lang, planning, logger: silent },
    fetch: (url, init) => endpoint(new Request(url as string, init)),
  });
  for (const name of ['read_tasks', 'create_task'])
    chat.registerTool({
      name,
      description: name,
      risk: name === 'read_tasks' ? 'query' : 'write',
      parameters: { type: 'object', properties: { title: { type: 'string' }, view_context: { type: 'string' } } },
      execute(args: { title?: string }) {
        ran.push(`${name} ${args.title ?? ''}`.trim());
        return {
          success: true,
          message: 'ok',
          data: [
            { id: '1', title: 'a', completed: true },
            { id: '2', title: 'b', completed: false },
          ],
        };
      },
    });
  return { chat, ran, parts: () => internalsOf(chat).surface.view.views.flatMap(({ parts }) => parts) };
}

describe('what the scripted model plans and asks', () => {
  for (const protocol of ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code'])
    it(`is carried out by its plan under ${protocol}`, async () => {
      const { chat, ran } = open(protocol, 'en');
      const result = await chat.sendMessage("Write a report about today's tasks and save it");
      expect(ran).to.deep.equal(['read_tasks', "create_task Today's report: 1 open, 1 done"]);
      expect(chat.session.plan?.steps.map(({ status }) => status)).to.deep.equal(['done', 'done', 'done']);
      expect(result.text).to.match(/^The plan is finished/);
      expect(chat.messages.some(({ text }) => text.includes('task_plan'))).to.equal(false);
      chat.dispose();
    });

  it('is the same work without a plan where planning is off', async () => {
    const { chat, ran } = open('xml-invoke', 'zh-CN', 'off');
    await chat.sendMessage('写一份今天任务的报告，总结后保存');
    expect(ran).to.deep.equal(['read_tasks', 'create_task 今日报告：1 个未完成，1 个已完成']);
    expect(chat.session.plan).to.equal(null);
    chat.dispose();
  });

  it('is asked about with a guess and two questions: 帮我做个研究', async () => {
    const { chat, parts } = open('xml-invoke', 'zh-CN');
    await chat.sendMessage('帮我做个研究');
    const [asked] = parts().flatMap((part) => (part.type === 'clarify' ? [part.clarify] : []));
    expect(asked?.default).to.include('人工智能');
    expect(asked?.questions).to.have.length(2);
    const answer = await chat.sendMessage('研究哪方面？作业批改\n要什么格式？对比表格');
    expect(answer.text).to.match(/^## 作业批改[^]*\|/);
    expect((await chat.sendMessage(`按默认来：${asked?.default ?? ''}`)).text).to.include('## 一页关于');
    chat.dispose();
  });
});
