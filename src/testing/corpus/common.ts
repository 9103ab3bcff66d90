/** Samples of prose and surroundings that every protocol must handle, with a call of each protocol inserted. */
import { callSegment, CALLS, proseSample, reasoning, sample, textSegment, type CorpusSample } from './sample.js';

/**
 * @param protocol The id.
 * @param list A complete call of the tool `list` without arguments, to be placed on separate lines.
 */
export function commonSamples(protocol: string, list: string): CorpusSample[] {
  const found = callSegment('list');
  const fenced = (source: string, info = '', fence = '````') => `${fence}${info}\n${source}\n${fence}`;
  return [
    proseSample('plain prose', 'Nothing to do here.'),
    proseSample('an empty message', ''),
    proseSample('a message of blanks', ' \n\t\n'),
    proseSample('characters that begin markers, at the end', 'a < b, {c}, `d`, [e], 「f」 and <'),
    proseSample(
      'a table, a list, a link and a heading',
      '# A\n\n| a | b |\n| - | - |\n| `<` | {} |\n\n- [x](y) <b>\n1. {"a": [1]}\n\n---\n',
    ),
    sample('a call and nothing else', list, [found]),
    sample('a call between prose', `Before.\n${list}\nAfter.`, [textSegment('Before.\n'), found, textSegment('\nAfter.')]),
    sample('a call between prose with CRLF', `Before.\r\n${list}\r\nAfter.`, [
      textSegment('Before.\r\n'),
      found,
      textSegment('\r\nAfter.'),
    ]),
    sample('three calls with prose between them', `${list}\nand\n${list}\n\n${list}`, [
      found,
      textSegment('\nand\n'),
      found,
      textSegment('\n\n'),
      found,
    ]),
    sample('a call behind a byte order mark, which is dropped', `\ufeff${list}`, [found]),
    proseSample('a byte order mark in the middle, which stays', 'a\ufeffb'),
    sample('prose in Chinese, Arabic, Hebrew and emoji around a call', `好的，马上。\n${list}\nتم · שלום · 👩‍👩‍👧‍👦 🇩🇪`, [
      textSegment('好的，马上。\n'),
      found,
      textSegment('\nتم · שלום · 👩‍👩‍👧‍👦 🇩🇪'),
    ]),
    sample('lone surrogates around a call', `\udc00a\ud800\n${list}\n\ud83d`, [
      textSegment('\udc00a\ud800\n'),
      found,
      textSegment('\n\ud83d'),
    ]),

    // Code
    proseSample('a call in a fence, with words behind it', `${fenced(list, 'text')}\nSo it looks.`),
    proseSample('a call in a fence of tildes', `${fenced(list, '', '~~~~')}\nSo it looks.`),
    proseSample('a call in a fence in a quotation', `> ${fenced(list).replaceAll('\n', '\n> ')}\n\nSo it looks.`),
    proseSample('a call in a fence in a list', `1. First:\n\n   ${fenced(list).replaceAll('\n', '\n   ')}\n\nSo it looks.`),
    proseSample('a call in a fence that never ends', `\`\`\`\`md\n${list}\n`),
    proseSample('a call behind a closer that is too short', `\`\`\`\`\`\n\`\`\`\`\n${list}\n`),
    sample('a call behind a closed fence', `\`\`\`js\nlet a;\n\`\`\`\n${list}`, [textSegment('```js\nlet a;\n```\n'), found]),
    sample('a call on the line after an unmatched backtick', `It's a \` here\n${list}`, [textSegment("It's a ` here\n"), found]),
    sample('a call as the only thing in the last fence: offered, not run', `So:\n${fenced(list)}\n\n`, [
      textSegment(`So:\n${fenced(list)}\n\n`),
      callSegment('list', {}, 'quoted'),
    ]),
    proseSample('a call in the last fence of a reply that was aborted', `So:\n${fenced(list)}\n`, { end: 'abort' }),
    proseSample('two calls in the last fence', `${fenced(`${list}\n${list}`)}`),
    proseSample('a call and a word in the last fence', `${fenced(`${list}\nso`)}`),
    sample('a fenced example and then the call', `${fenced(list)}\n${list}`, [textSegment(`${fenced(list)}\n`), found]),
    sample('a call and then the same as an example', `${list}\n${fenced(list)}`, [found, textSegment(`\n${fenced(list)}`)]),
    sample('a call as the only thing in the last quotation: offered, not run', `So:\n\n> ${list.replaceAll('\n', '\n> ')}\n`, [
      textSegment(`So:\n\n> ${list.replaceAll('\n', '\n> ')}\n`),
      callSegment('list', {}, 'quoted'),
    ]),
    proseSample('a call in a quotation, with words behind it', `> ${list.replaceAll('\n', '\n> ')}\n\nSo it looks.`),
    proseSample('a call in a fence that is closed only outside of its quotation', `> \`\`\`\`\n> a\n\`\`\`\`\n${list}\n\`\`\`\`\nSo.`),
    proseSample('a call behind a closer that is indented too far', `\`\`\`\`\n    \`\`\`\`\n${list}\n\`\`\`\`\nSo.`),
    sample('a call behind a fence that ended with its list item', `- \`\`\`\`\n  a\n\n${list}`, [textSegment('- ````\n  a\n\n'), found]),

    // Reasoning
    sample('reasoning and then a call', `<think>Let me see.</think>\n\n${list}`, [reasoning('Let me see.'), textSegment('\n\n'), found]),
    sample('a call in reasoning, which is not run', `<think>\n${list}\n</think>\nNo.`, [reasoning(`\n${list}\n`), textSegment('\nNo.')]),
    sample('a call in <thinking>, which is not run', `<thinking>\n${list}\n</thinking>\nNo.`, [
      reasoning(`\n${list}\n`),
      textSegment('\nNo.'),
    ]),
    sample('reasoning left open around a call', `<think>\n${list}\nhm`, [reasoning(`\n${list}\nhm`)]),
    sample('reasoning in reasoning: the first end ends it', `<think>a<think>b</think>c</think>\n${list}`, [
      reasoning('a<think>b'),
      textSegment('c\n'),
      found,
    ]),
    sample('an end of reasoning without a beginning: all before it is reasoning', `hm</think>\n${list}`, [
      textSegment('hm'),
      { type: 'was-reasoning' },
      textSegment('\n'),
      found,
    ]),
    sample('an end of reasoning without a beginning behind a call, which is not run', `So\n${list}\n</think>\nNo.`, [
      textSegment('So\n'),
      found,
      textSegment('\n'),
      { type: 'was-reasoning' },
      textSegment('\nNo.'),
    ]),
    sample('a reasoning tag in the middle of a line, which is prose', `Write <think> so.\n${list}`, [
      textSegment('Write <think> so.\n'),
      found,
    ]),
    sample('an open fence in reasoning, which ends with it', `<think>\`\`\`\n</think>\n${list}`, [
      reasoning('```\n'),
      textSegment('\n'),
      found,
    ]),

    // Others
    ...Object.entries(CALLS)
      .filter(([id]) => id !== protocol)
      .map(([id, other]) => proseSample(`a call of ${id}, which stays text`, `Look:\n${other}\nThat is all.`, { foreign: [id] })),
    sample('a call behind the call of another notation', `<tool_call>{"name": "other"}</tool_call>\n${list}`, [
      textSegment('<tool_call>{"name": "other"}</tool_call>\n'),
      found,
    ]),
    proseSample(
      'markup of models that are not ours',
      '<function_calls>\n<invoke name="x"></invoke>\n<|tool_call|>[TOOL_CALLS][{"name": "x"}]',
    ),
  ];
}
