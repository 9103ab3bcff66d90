/** The corpus of `tool-code`: calls that it reads, repairs and refuses. */
import { commonSamples } from './common.js';
import { jsonSamples, TOLERATED } from './json.js';
import { broken, callSegment, proseSample, sample, textSegment, type ProtocolCorpus } from './sample.js';

const block = (source: string) => `<tool_code>${source}</tool_code>`;
const object = (name: string, rest = '') => `{"name": "${name}"${rest && `, ${rest}`}}`;
const write = (members: string) => block(object('save', members));

const LIST = block('\n{"name": "list", "arguments": {}}\n');

export const toolCodeCorpus: ProtocolCorpus = {
  protocol: 'tool-code',
  markup:
    '\\ufeff|</?tool_code\\s*>|<(?:/[a-z_]*\\s*)?$|</?think(?:ing)?>|(?:```+|~~~+)[a-zA-Z0-9]*|[`~]{1,2}(?=\\s*(?:<[/a-z_]*\\s*)?$)|//(?:(?!</tool_code|```|~~~)[^\\n\\r])*|/\\*(?:(?!\\*/)[\\s\\S])*\\*/|[\\[\\],]|\\s',
  fragments: [
    '<tool_code>',
    '</tool_code>',
    '<tool_code>{"name":"a"',
    '<tool_code>{"name":"a","arguments":{"x":"',
    '{"name": "a", ',
    '"arguments": {"x": "',
    '"__proto__": ',
    '\\u005f',
    '\\"',
    '"}}</tool_code>',
    '}</tool_code>',
    '[{',
    '// ',
    '/*',
    '*/',
    "'",
    'print(',
    '\r\n',
    '```json\n',
    '\n```',
  ],
  samples: [
    ...commonSamples('tool-code', LIST),
    ...jsonSamples(write),

    // Openers
    proseSample('an opener in capitals', `<Tool_Code>${object('a')}</Tool_Code>`),
    proseSample('tags that begin alike', `<tool_codes>${object('a')}</tool_codes> <tool_cod> <tool_code/>`),
    proseSample('every beginning of the opener', '<, <t, <to, <too, <tool, <tool_, <tool_c, <tool_co, <tool_cod, <tool_code'),
    proseSample('an end tag in prose', 'Close it by </tool_code> then.'),
    sample('an opener inside its own beginning', `<tool_<tool_code${LIST}`, [textSegment('<tool_<tool_code'), callSegment('list')]),
    proseSample('a call in inline code', `Write \`${block(object('a'))}\`.`),
    proseSample('a call in inline code of two backticks', `Write \`\`a \` ${block(object('a'))}\`\`.`),
    proseSample('a call behind an unmatched backtick on its line', `a \` ${block(object('a'))}`),
    sample('a call in the middle of a sentence', `So ${block(object('a'))}, done.`, [
      textSegment('So '),
      callSegment('a'),
      textSegment(', done.'),
    ]),
    sample('a call indented as far as code, which asks', `        ${LIST}`, [
      textSegment('        '),
      callSegment('list', {}, 'suspicious'),
    ]),
    sample('two calls without anything between', block(object('a')) + block(object('b')), [callSegment('a'), callSegment('b')]),

    // Shape
    sample('the example of seed 003', '<tool_code> { "name": "read_file", "arguments": {"path": "/a"} } </tool_code>', [
      callSegment('read_file', { path: '/a' }),
    ]),
    sample('a fence around the object', block(`\n\`\`\`json\n${object('a')}\n\`\`\`\n`), [callSegment('a')]),
    sample('a list of calls', block(`[${object('a')}, ${object('b', '"arguments": {"x": 1}')}]`), [
      callSegment('a'),
      callSegment('b', { x: 1 }),
    ]),
    sample('a list with a bad entry: the others run', block(`[${object('a')}, {"x": 1}, ${object('b')}]`), [
      callSegment('a'),
      broken('missing_name'),
      callSegment('b'),
    ]),
    sample('keys in any order, among others', block('{"id": "7", "arguments": {"x": 1}, "thought": "ok", "name": "a"}'), [
      callSegment('a', { x: 1 }),
    ]),
    sample('an object cut behind its last brace', `<tool_code>${object('a')}`, [callSegment('a')]),
    sample('an object cut in its end tag', `<tool_code>${object('a')}\n</tool_c`, [callSegment('a')], { end: 'length' }),
    sample('an object without its end tag in a reply that was aborted', `<tool_code>${object('a')}\n`, [broken('unclosed', 'a')], {
      end: 'abort',
    }), // a choice
    sample('an end tag cut in a reply that was aborted', `<tool_code>${object('a')}</tool_`, [broken('unclosed', 'a')], { end: 'abort' }), // a choice
    sample('code that only JSON escaping can carry', write('"arguments": {"content": "</parameter></tool_code>\\n\\"\\\\"}'), [
      callSegment('save', { content: '</parameter></tool_code>\n"\\' }),
    ]),
    sample('an end tag in a string in single quotes', block("{'name': 'a', 'arguments': {'x': '</tool_code>'}}"), [
      callSegment('a', { x: '</tool_code>' }, ...TOLERATED),
    ]),
    sample('an end tag in a comment', block('{"name": "a" /* </tool_code> */}'), [callSegment('a', {}, ...TOLERATED)]),

    // Broken
    sample('Python instead of JSON', `${block('print(list_areas(x="1"))')}\nok`, [broken('bad_json'), textSegment('\nok')]),
    sample('nothing between the tags', `${block('')}${block(' \n')}ok`, [broken('bad_json'), broken('bad_json'), textSegment('ok')]), // a choice: neither an object nor a list
    sample('a call without a name', block('{"arguments": {}}'), [broken('missing_name')]),
    sample('a call with an empty name', block(object('')), [broken('missing_name')]),
    sample('a list of what is no object', block('[7]'), [broken('bad_shape')]),
    sample('words behind the object', `${block(`${object('a')} ok?`)}\nok`, [broken('bad_json'), textSegment('\nok')]),
    sample('two objects without a list', block(`${object('a')}${object('b')}`), [broken('bad_json')]),
    sample('a missing brace', `${block('{"name": "a", "arguments": {}')}\nok`, [broken('bad_json'), textSegment('\nok')]),
    sample('a brace too many', `${block(`${object('a')}}`)}\nok`, [broken('bad_json'), textSegment('\nok')]),
    sample('a cut in a value', 'Hi <tool_code>{"name": "a", "arguments": {"x": "1', [textSegment('Hi '), broken('unclosed', 'a')], {
      end: 'length',
    }),
    sample('a cut in a list: nothing runs', `<tool_code>[${object('a')}, {"name": "b"`, [broken('unclosed')]), // a choice: the rest is unknown
    sample('a broken call, and the next', `${block('{"name": "a", oops}')}\n${LIST}`, [
      broken('bad_json'),
      textSegment('\n'),
      callSegment('list'),
    ]),
    sample(
      'a call over the limit, and the next',
      `${block(object('a', `"arguments": {"x": "${'y'.repeat(200)}"}`))}\n${LIST}`,
      [broken('too_large', 'a'), textSegment('\n'), callSegment('list')],
      {
        options: { maxAccumulator: 100 },
      },
    ),
  ],
};
