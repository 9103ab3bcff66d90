/** Where a notation has ids of its own, the model reads those; cards, journal and events have ours (Y-11). */
import { expect } from 'chai';
import { talk, useFaultServer } from './talk.js';

const written = (id: string, name: string, title: string) =>
  `{"id": "${id}", "type": "function", "function": {"name": "${name}", "arguments": {"title": "${title}"}}}`;
const told = (text: string) =>
  text
    .split('\n')
    .flatMap((line) =>
      line.startsWith('{') ? [(JSON.parse(line) as { tool_call_result: { toolCallId: string } }).tool_call_result.toolCallId] : [],
    );

describe('the ids of calls', () => {
  useFaultServer();

  it('are the model’s own in what it is told under json-tool-calls, and ours on cards, in events and in results', async () => {
    const text = `{"tool_calls": [${written('call_abc', 'look', 'a')}, ${written('call_def', 'act', 'b')}]}`;
    const one = talk([text, 'Done.'], { protocol: 'json-tool-calls' });
    one.tool('look');
    one.tool('act');
    const { results } = await one.send();
    const [, second] = one.bodies();
    expect(told(second!.messages.at(-1)!.text)).to.deep.equal(['call_abc', 'call_def']);
    expect(second!.messages.at(-2)!.text).to.contain('"id": "call_abc"');
    const ours = results.map(({ requestId }) => requestId);
    expect(ours.join(' ')).not.to.contain('call_abc').and.not.to.contain('call_def');
    expect(one.cards().map(({ requestId }) => requestId)).to.deep.equal(ours);
    expect(one.runs.map(({ context }) => context.requestId)).to.deep.equal(ours);
    expect(JSON.stringify(one.events)).to.contain(ours[0]);
  });

  it('are ours where the model gave none, or one that names nothing', async () => {
    for (const id of [undefined, '', 'two words', 'x'.repeat(300), 7]) {
      const entry = JSON.stringify({ ...(id !== undefined && { id }), name: 'look', arguments: { title: 'a' } });
      const one = talk([`{"tool_calls": [${entry}]}`, 'Done.'], { protocol: 'json-tool-calls' });
      one.tool('look');
      const { results } = await one.send();
      expect(told(one.bodies()[1]!.messages.at(-1)!.text)).to.deep.equal([results[0]!.requestId]);
    }
  });

  it('may be the same in two replies: each result follows its own call', async () => {
    const call = (title: string) => `{"tool_calls": [${written('call_1', 'look', title)}]}`;
    const one = talk([call('a'), call('b'), 'Done.'], { protocol: 'json-tool-calls' });
    one.tool('look');
    const { results } = await one.send();
    expect(new Set(results.map(({ requestId }) => requestId)).size).to.equal(2);
    expect(one.bodies()[2]!.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(told(one.bodies()[2]!.messages.at(-1)!.text)).to.deep.equal(['call_1']);
  });

  it('are those of a ToolContextDef, which needs no id of its own', async () => {
    const one = talk(['<call>look</call>', 'Done.'], { protocol: 'tool-context' });
    one.chat.registerProtocol({
      availableToolsFragment: 'tools',
      parseResponse: (content: string) =>
        content.includes('<call>') ? { calls: [{ toolName: 'look', args: {}, callId: 'call_7' }], strippedText: '' } : null,
      formatToolResult: (id: string, result: unknown) => `<returned id="${id}">${String(result)}</returned>`,
    } as never);
    one.tool('look');
    await one.send();
    expect(one.bodies()[1]!.messages.at(-1)!.text).to.match(/^<returned id="call_7">/);
  });
});
