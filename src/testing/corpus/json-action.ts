/** The corpus of `json-action`: calls that it reads, repairs and refuses. */
import { commonSamples } from './common.js';
import { jsonSamples, TOLERATED } from './json.js';
import { broken, callSegment, proseSample, sample, textSegment, type ProtocolCorpus } from './sample.js';

const fence = (source: string, info = 'json', marks = '```') => `${marks}${info}\n${source}\n${marks}`;
const action = (name: string, rest = '') => `{"action": "tool_call", "name": "${name}"${rest && `, ${rest}`}}`;
const write = (members: string) => fence(action('save', members));
const x = (value: unknown) => `"arguments": {"x": ${JSON.stringify(value)}}`;

const LIST = fence(action('list', '"arguments": {}'));

export const jsonActionCorpus: ProtocolCorpus = {
  protocol: 'json-action',
  // Matches the start and end of a fenced block. Its content is the raw text of the calls; a block may have several.
  markup:
    '\\ufeff|```+|~~~+|(?<=[`~][ \\t\\ufeff]*)[jJ][sS][oO][nN][c5C]?[^\\n\\r]*|[`~]{1,2}(?=\\s*(?:<[/a-z_]*\\s*)?$)|</?think(?:ing)?>|//(?:(?!</tool_code|```|~~~)[^\\n\\r])*|/\\*(?:(?!\\*/)[\\s\\S])*\\*/|[\\[\\],]|\\s',
  fragments: [
    '```json\n',
    '```json\n{"action":"tool_call","name":"a"',
    '```json\n{"action":"tool_call","name":"a"}\n```\n',
    '{"action": "tool_call", ',
    '"arguments": {"x": "',
    '"__proto__": ',
    '\\u005f',
    '\\"',
    '"}}\n```\n',
    '}\n```',
    '\n```\n',
    '[{',
    '// ',
    '/*',
    '*/',
    "'",
    'True,',
    '\r\n',
    '~~~json5\n',
  ],
  samples: [
    ...commonSamples('json-action', LIST),
    ...jsonSamples(write),

    // The block
    sample(
      'the example of the prompt',
      `好的\n\n${fence('// comment\n{\n  "action": "tool_call",\n  "name": "tool_name",\n  "arguments": {\n    "param1": "value1"\n  }\n}')}`,
      [textSegment('好的\n\n'), callSegment('tool_name', { param1: 'value1' }, ...TOLERATED)],
    ),
    sample('the words jsonc, json5 and JSON', ['jsonc', 'JSON5', 'Json'].map((info) => fence(action('a'), info)).join('\n'), [
      callSegment('a'),
      textSegment('\n'),
      callSegment('a'),
      textSegment('\n'),
      callSegment('a'),
    ]),
    sample('more behind the word json', fence(action('a'), 'json title="call.json"'), [callSegment('a')]),
    sample('blanks around the word json', `\`\`\` json  \n${action('a')}\n\`\`\`\nok`, [callSegment('a'), textSegment('\nok')]),
    sample('fences of tildes', fence(action('a'), 'json', '~~~'), [callSegment('a')]),
    sample('a longer fence, closed by one that is longer still', `\`\`\`\`json\n${action('a')}\n\`\`\`\`\`\nok`, [
      callSegment('a'),
      textSegment('\nok'),
    ]),
    sample('a fence indented in a list', `1. So:\n   ${fence(action('a')).replaceAll('\n', '\n   ')}\n2. ok`, [
      textSegment('1. So:\n   '),
      callSegment('a'),
      textSegment('\n2. ok'),
    ]),
    sample(
      'an object over many lines with CRLF',
      fence('{\r\n\r\n"action": "tool_call",\r\n"name": "a"\r\n}').replace('json\n', 'json\r\n'),
      [callSegment('a')],
    ),
    sample('empty lines around the object', `\`\`\`json\n\n\n${action('a')}\n\n\`\`\``, [callSegment('a')]),
    sample('an object on one line with its closing fence', `\`\`\`json\n${action('a')}\`\`\`\nok`, [callSegment('a'), textSegment('\nok')]),
    sample(
      'keys in any order, among others',
      fence('{"thought": "ok", "arguments": {"x": 1}, "name": "a", "action": "tool_call", "extra": []}'),
      [callSegment('a', { x: 1 })],
    ),
    sample('two objects in one fence', fence(`${action('a')}\n${action('b', x(1))}`), [callSegment('a'), callSegment('b', { x: 1 })]),
    sample('a list of objects', fence(`[${action('a')}, ${action('b', x(1))}]`), [callSegment('a'), callSegment('b', { x: 1 })]),
    sample('fences next to each other', `${LIST}\n${LIST}`, [callSegment('list'), textSegment('\n'), callSegment('list')]),
    sample('an object in a fence that never ends', `\`\`\`json\n${action('a')}\n`, [callSegment('a')]),
    sample('an object cut behind its last brace', `\`\`\`json\n${action('a')}`, [callSegment('a')], { end: 'length' }),
    sample('an object in a fence that was aborted', `\`\`\`json\n${action('a')}\n`, [broken('unclosed', 'a')], { end: 'abort' }), // a choice: its end was not seen
    sample('an object that was aborted behind its last brace', `\`\`\`json\n${action('a')}`, [broken('unclosed', 'a')], { end: 'abort' }), // a choice
    sample('a fence of which one backtick is missing', `\`\`\`json\n${action('a')}\n\`\``, [callSegment('a')]),

    // Code, not calls
    proseSample('an object without an action', `${fence('{"name": "list", "arguments": {}}')}\nok`),
    proseSample('an object with another action', `${fence('{"action": "toolcall", "name": "list"}')}\nok`),
    proseSample('an action that is not at the top', `${fence('{"a": {"action": "tool_call", "name": "list"}}')}\nok`),
    proseSample('an action in a string', `${fence('{"a": "{\\"action\\": \\"tool_call\\"}"}')}\nok`),
    proseSample(
      'an object that begins with a key of another kind',
      `${fence('{"path": "/a", "action": "tool_call", "name": "list"}')}\nok`,
    ),
    sample('a bare object that is the whole message: offered, not run', ` ${action('a')}\n`, [
      textSegment(` ${action('a')}\n`),
      callSegment('a', {}, 'quoted'),
    ]),
    sample('a bare fence that is the whole message: offered, not run', fence(action('a'), ''), [
      textSegment(fence(action('a'), '')),
      callSegment('a', {}, 'quoted'),
    ]),
    proseSample('a name without an action, cut off', '```json\n{"name": "list", "arguments": {'),
    proseSample('broken JSON without an action', `${fence('{"name": "li')}\nok`),
    // This is code as well, but the call was announced before the other object came, so it ends as an offered one.
    sample('a call and another object in one fence', `${fence(`${action('a')}\n{"b": 1}`)}\nok`, [
      callSegment('a', {}, 'quoted'),
      textSegment(`${fence(`${action('a')}\n{"b": 1}`)}\nok`),
    ]),
    sample('a list of a call and another object', `${fence(`[${action('a')}, {"b": 1}]`)}\nok`, [
      callSegment('a', {}, 'quoted'),
      textSegment(`${fence(`[${action('a')}, {"b": 1}]`)}\nok`),
    ]),
    proseSample('a list of another object and a call', `${fence(`[{"b": 1}, ${action('a')}]`)}\nok`),
    proseSample(
      'an empty fence, a number, a string and an empty list',
      `${['', '42', '"tool_call"', '[]', '{}'].map((json) => fence(json)).join('\n')}\nok`,
    ),
    proseSample(
      'a fence of another language',
      `${fence(action('a'), 'js')}\n${fence(action('a'), 'json-call')}\n${fence(action('a'), '')}\nok`,
    ),
    proseSample('an object in prose', `Send ${action('a')} then.\n${action('a')}\nok`),
    proseSample('an object in inline code', `Send \`\`\`json ${action('a')}\`\`\` then.`),
    proseSample('a fence behind words', `So: \`\`\`json\n${action('a')}\n`),
    proseSample('a fence in a quotation', `> ${fence(action('a')).replaceAll('\n', '\n> ')}\n\nok`),
    proseSample('a fence in a longer one', `\`\`\`\`md\n${LIST}\n\`\`\`\`\nok`),
    proseSample('beginnings of a fence', 'a\n`\nb\n``\nc\n``js'),
    proseSample('a fence line cut at the end', 'a\n```jso'),
    proseSample('a fence line and no more', 'a\n```json\n'),

    // Broken
    sample('a call without a name', fence('{"action": "tool_call", "arguments": {}}'), [broken('missing_name')]),
    sample('a call with an empty name', fence(action('')), [broken('missing_name')]),
    sample('a call whose name is a number', fence('{"action": "tool_call", "name": 7}'), [broken('missing_name')]), // a choice: not a valid name
    sample('a missing brace', `${fence('{"action": "tool_call", "name": "a", "arguments": {}')}\nok`, [
      broken('bad_json', 'a'),
      textSegment('\nok'),
    ]),
    sample('a brace too many', `${fence(`${action('a')}}`)}\nok`, [broken('bad_json', 'a'), textSegment('\nok')]),
    sample('words behind the object', `${fence(`${action('a')}\nok?`)}\nok`, [broken('bad_json', 'a'), textSegment('\nok')]), // a choice, as in tool-code
    sample(
      'a cut in a value',
      `Hi\n\`\`\`json\n{"action": "tool_call", "name": "a", "arguments": {"x": "1`,
      [textSegment('Hi\n'), broken('unclosed', 'a')],
      { end: 'length' },
    ),
    sample('a cut behind the action', '```json\n{"action": "tool_call"', [broken('unclosed')]),
    sample('a string left open, and what follows', `${fence('{"action": "tool_call", "name": "a", "arguments": {"x": "1}}')}\nok`, [
      broken('bad_json', 'a'),
      textSegment('\nok'),
    ]),
    sample(
      'a string left open, and the next call',
      `${fence('{"action": "tool_call", "name": "a", "arguments": {"x": "1}}')}\nok\n${LIST}`,
      [broken('bad_json', 'a'), textSegment('\nok\n'), callSegment('list')],
    ),
    sample('a fence in a string with raw line breaks', fence(action('a', '"arguments": {"x": "1\n```\n2"}')), [
      callSegment('a', { x: '1\n```\n2' }, ...TOLERATED),
    ]),
    sample('a broken call, and the next', `${fence('{"action": "tool_call", "name": "a", oops}')}\n${LIST}`, [
      broken('bad_json', 'a'),
      textSegment('\n'),
      callSegment('list'),
    ]),
    sample(
      'a call over the limit, and the next',
      `${fence(action('a', x('y'.repeat(200))))}\n${LIST}`,
      [broken('too_large', 'a'), textSegment('\n'), callSegment('list')],
      {
        options: { maxAccumulator: 100 },
      },
    ),
  ],
};
