/** What text mode owes whatever the notation: the same samples around a call of each. */
import { call, CALLS, prose, reasoning, sample, text, type CorpusSample } from './sample.js';

/**
 * @param protocol The id.
 * @param list A complete call of the tool `list` without arguments; stands on lines of its own.
 */
export function commonSamples(protocol: string, list: string): CorpusSample[] {
  const found = call('list');
  const fenced = (source: string, info = '', fence = '````') => `${fence}${info}\n${source}\n${fence}`;
  return [
    prose('plain prose', 'Nothing to do here.'),
    prose('an empty message', ''),
    prose('a message of blanks', ' \n\t\n'),
    prose('characters that begin markers, at the end', 'a < b, {c}, `d`, [e], 「f」 and <'),
    prose('a table, a list, a link and a heading', '# A\n\n| a | b |\n| - | - |\n| `<` | {} |\n\n- [x](y) <b>\n1. {"a": [1]}\n\n---\n'),
    sample('a call and nothing else', list, [found]),
    sample('a call between prose', `Before.\n${list}\nAfter.`, [text('Before.\n'), found, text('\nAfter.')]),
    sample('a call between prose with CRLF', `Before.\r\n${list}\r\nAfter.`, [text('Before.\r\n'), found, text('\r\nAfter.')]),
    sample('three calls with prose between them', `${list}\nand\n${list}\n\n${list}`, [found, text('\nand\n'), found, text('\n\n'), found]),
    sample('a call behind a byte order mark, which is dropped', `\ufeff${list}`, [found]),
    prose('a byte order mark in the middle, which stays', 'a\ufeffb'),
    sample('prose in Chinese, Arabic, Hebrew and emoji around a call', `好的，马上。\n${list}\nتم · שלום · 👩‍👩‍👧‍👦 🇩🇪`, [
      text('好的，马上。\n'),
      found,
      text('\nتم · שלום · 👩‍👩‍👧‍👦 🇩🇪'),
    ]),
    sample('lone surrogates around a call', `\udc00a\ud800\n${list}\n\ud83d`, [text('\udc00a\ud800\n'), found, text('\n\ud83d')]),

    // Code
    prose('a call in a fence, with words behind it', `${fenced(list, 'text')}\nSo it looks.`),
    prose('a call in a fence of tildes', `${fenced(list, '', '~~~~')}\nSo it looks.`),
    prose('a call in a fence in a quotation', `> ${fenced(list).replaceAll('\n', '\n> ')}\n\nSo it looks.`),
    prose('a call in a fence in a list', `1. First:\n\n   ${fenced(list).replaceAll('\n', '\n   ')}\n\nSo it looks.`),
    prose('a call in a fence that never ends', `\`\`\`\`md\n${list}\n`),
    prose('a call behind a closer that is too short', `\`\`\`\`\`\n\`\`\`\`\n${list}\n`),
    sample('a call behind a closed fence', `\`\`\`js\nlet a;\n\`\`\`\n${list}`, [text('```js\nlet a;\n```\n'), found]),
    sample('a call on the line after an unmatched backtick', `It's a \` here\n${list}`, [text("It's a ` here\n"), found]),
    sample('a call as the only thing in the last fence: offered, not run', `So:\n${fenced(list)}\n\n`, [
      text(`So:\n${fenced(list)}\n\n`),
      call('list', {}, 'quoted'),
    ]),
    prose('a call in the last fence of a reply that was aborted', `So:\n${fenced(list)}\n`, { end: 'abort' }),
    prose('two calls in the last fence', `${fenced(`${list}\n${list}`)}`),
    prose('a call and a word in the last fence', `${fenced(`${list}\nso`)}`),
    sample('a fenced example and then the call', `${fenced(list)}\n${list}`, [text(`${fenced(list)}\n`), found]),
    sample('a call and then the same as an example', `${list}\n${fenced(list)}`, [found, text(`\n${fenced(list)}`)]),
    sample('a call as the only thing in the last quotation: offered, not run', `So:\n\n> ${list.replaceAll('\n', '\n> ')}\n`, [
      text(`So:\n\n> ${list.replaceAll('\n', '\n> ')}\n`),
      call('list', {}, 'quoted'),
    ]),
    prose('a call in a quotation, with words behind it', `> ${list.replaceAll('\n', '\n> ')}\n\nSo it looks.`),
    prose('a call in a fence that is closed only outside of its quotation', `> \`\`\`\`\n> a\n\`\`\`\`\n${list}\n\`\`\`\`\nSo.`),
    prose('a call behind a closer that is indented too far', `\`\`\`\`\n    \`\`\`\`\n${list}\n\`\`\`\`\nSo.`),
    sample('a call behind a fence that ended with its list item', `- \`\`\`\`\n  a\n\n${list}`, [text('- ````\n  a\n\n'), found]),

    // Reasoning
    sample('reasoning and then a call', `<think>Let me see.</think>\n\n${list}`, [reasoning('Let me see.'), text('\n\n'), found]),
    sample('a call in reasoning, which is not run', `<think>\n${list}\n</think>\nNo.`, [reasoning(`\n${list}\n`), text('\nNo.')]),
    sample('a call in <thinking>, which is not run', `<thinking>\n${list}\n</thinking>\nNo.`, [reasoning(`\n${list}\n`), text('\nNo.')]),
    sample('reasoning left open around a call', `<think>\n${list}\nhm`, [reasoning(`\n${list}\nhm`)]),
    sample('reasoning in reasoning: the first end ends it', `<think>a<think>b</think>c</think>\n${list}`, [
      reasoning('a<think>b'),
      text('c\n'),
      found,
    ]),
    sample('an end of reasoning without a beginning, which is not shown', `hm</think>\n${list}`, [text('hm\n'), found]),
    sample('a reasoning tag in the middle of a line, which is prose', `Write <think> so.\n${list}`, [text('Write <think> so.\n'), found]),
    sample('an open fence in reasoning, which ends with it', `<think>\`\`\`\n</think>\n${list}`, [reasoning('```\n'), text('\n'), found]),

    // Others
    ...Object.entries(CALLS)
      .filter(([id]) => id !== protocol)
      .map(([id, other]) => prose(`a call of ${id}, which stays text`, `Look:\n${other}\nThat is all.`, { foreign: [id] })),
    sample('a call behind the call of another notation', `<tool_call>{"name": "other"}</tool_call>\n${list}`, [
      text('<tool_call>{"name": "other"}</tool_call>\n'),
      found,
    ]),
    prose('markup of models that are not ours', '<function_calls>\n<invoke name="x"></invoke>\n<|tool_call|>[TOOL_CALLS][{"name": "x"}]'),
  ];
}
