/** The corpus of `json-tool-calls`: calls that it reads, repairs and refuses. */
import { commonSamples } from './common.js';
import { jsonSamples } from './json.js';
import { broken, callSegment, proseSample, sample, textSegment, type ProtocolCorpus } from './sample.js';

const fence = (source: string, info = 'json', marks = '```') => `${marks}${info}\n${source}\n${marks}`;
const entry = (name: string, rest = '') => `{"name": "${name}"${rest && `, ${rest}`}}`;
const calls = (...entries: string[]) => `{"tool_calls": [${entries.join(', ')}]}`;
const write = (members: string) => calls(entry('save', members));
const openai = (name: string, values: unknown) =>
  `{"id": "call_1", "type": "function", "function": {"name": "${name}", "arguments": ${JSON.stringify(JSON.stringify(values))}}}`;

const LIST = calls(entry('list', '"arguments": {}'));

export const jsonToolCallsCorpus: ProtocolCorpus = {
  protocol: 'json-tool-calls',
  markup:
    '\\ufeff|```+|~~~+|(?<=[`~][ \\t\\ufeff]*)[jJ][sS][oO][nN][c5C]?[^\\n\\r]*|[`~]{1,2}(?=\\s*(?:<[/a-z_]*\\s*)?$)|</?think(?:ing)?>|[{]\\s*["\']?tool_calls["\']?\\s*:|"(?:[^"\\\\]|\\\\.)*"\\s*:\\s*(?:"(?:[^"\\\\]|\\\\.)*"|null)?|//(?:(?!</tool_code|```|~~~)[^\\n\\r])*|/\\*(?:(?!\\*/)[\\s\\S])*\\*/|[\\[\\],{}]|\\s',
  fragments: [
    '{"tool_calls": [',
    '\n{"tool_calls":[{"name":"a"',
    '\n{"tool_calls":[{"name":"a","arguments":{}}]}',
    '\n{',
    '{"name": "a", ',
    '"function": {"name": "a", "arguments": "{',
    '"arguments": {"x": "',
    '"__proto__": ',
    '\\u005f',
    '\\"',
    '"}}]}',
    ']}',
    '}\n```\n',
    '```json\n',
    '```json\n{"content": "a", "tool_calls": [',
    '// ',
    '/*',
    '*/',
    "'",
    '\r\n',
  ],
  samples: [
    ...commonSamples('json-tool-calls', LIST),
    ...jsonSamples(write),

    // The two layouts
    sample('the example of seed 003', calls(openai('read_file', { path: '/a' })), [callSegment('read_file', { path: '/a' })]),
    sample('a function with arguments as an object', calls('{"function": {"name": "a", "arguments": {"x": 1}}}'), [
      callSegment('a', { x: 1 }),
    ]),
    sample('several entries, in both shapes', calls(entry('a'), openai('b', { x: '"' }), entry('a')), [
      callSegment('a'),
      callSegment('b', { x: '"' }),
      callSegment('a'),
    ]),
    sample('the object in a fence', `So:\n${fence(LIST)}\nok`, [
      textSegment('So:\n'),
      callSegment('list', {}, 'suspicious'),
      textSegment('\nok'),
    ]),
    sample('the object in a fence, with nothing behind it', `So:\n${fence(LIST)}\n\n`, [
      textSegment('So:\n'),
      callSegment('list'),
      textSegment('\n\n'),
    ]),
    sample('two objects in fences, with words behind them', `${fence(LIST)}\n${fence(LIST)}\nok`, [
      callSegment('list'),
      textSegment('\n'),
      callSegment('list', {}, 'suspicious'),
      textSegment('\nok'),
    ]),
    sample('a fence of tildes with another word', fence(LIST, 'JSON5', '~~~'), [callSegment('list')]),
    sample(
      'other keys before the list, in a fence',
      fence(`{"role": "assistant", "content": "{\\"tool_calls\\"", "tool_calls": [${entry('a')}], "x": []}`),
      [callSegment('a')],
    ),
    proseSample('other keys before the list, without a fence', `{"content": null, "tool_calls": [${entry('a')}]}\nok`),
    sample('the object over many lines', `{\n  "tool_calls" : [\n    ${entry('a')}\n  ]\n}\nok`, [callSegment('a'), textSegment('\nok')]),
    sample('the object with CRLF', `ok\r\n{\r\n"tool_calls": [\r\n${entry('a')}\r\n]\r\n}\r\nok`, [
      textSegment('ok\r\n'),
      callSegment('a'),
      textSegment('\r\nok'),
    ]),
    sample('the object indented', `ok\n  ${LIST}`, [textSegment('ok\n  '), callSegment('list')]), // a choice: only blanks are before it on its line
    sample('words behind the object on its line', `${LIST} ok`, [callSegment('list'), textSegment(' ok')]),
    sample('keys behind the list', `{"tool_calls": [${entry('a')}], "finish_reason": "tool_calls"}\nok`, [
      callSegment('a'),
      textSegment('\nok'),
    ]),
    sample('two objects, line by line', `${LIST}\n${LIST}`, [callSegment('list'), textSegment('\n'), callSegment('list')]),
    sample('a fence in a list', `- So:\n\n  ${fence(LIST).replaceAll('\n', '\n  ')}\n\nok`, [
      textSegment('- So:\n\n  '),
      callSegment('list', {}, 'suspicious'),
      textSegment('\n\nok'),
    ]),
    sample('an object in a fence that never ends', `\`\`\`json\n${LIST}\n`, [callSegment('list')]),

    // Prose and code
    proseSample('the words in a sentence', 'The key "tool_calls" holds the tool_calls.\n"tool_calls": [] and { "tool" }'),
    proseSample('the object behind words', `Send ${LIST} then.`),
    proseSample('the object in inline code', `\`${LIST}\` is how.`),
    proseSample('the object in a fence of another language', `${fence(LIST, 'js')}\n${fence(LIST, 'text')}\nok`),
    proseSample('the object in a quotation', `> ${LIST}\n> ${fence(LIST).replaceAll('\n', '\n> ')}\n\nok`),
    proseSample('a fence in a longer one', `\`\`\`\`md\n${fence(LIST)}\n\`\`\`\`\nok`),
    proseSample('a list of entries without its object', `[${entry('a')}]\n${fence(`[${entry('a')}]`)}\nok`),
    proseSample('tool_calls that are no list, in a fence', `${fence('{"tool_calls": 3}')}\n${fence('{"tool_calls": {"name": "a"}}')}\nok`),
    proseSample('tool_calls deeper in the object', `${fence(`{"message": ${LIST}}`)}\n{"message": ${LIST}}\nok`),
    proseSample('a broken object in a fence, without tool_calls', `${fence('{"a": [1,, }')}\nok`),
    proseSample('beginnings of the object', 'a\n{\nb\n{"\n{"tool\n{"tool_call"\n{"tool_calls_x": []}\n{ "tool_'),
    proseSample('an object of which the key is in capitals', `{"TOOL_CALLS": [${entry('a')}]}`),

    // Broken
    sample('an entry without a name: the others run', calls(entry('a'), '{"arguments": {}}', entry('b')), [
      callSegment('a'),
      broken('missing_name'),
      callSegment('b'),
    ]),
    sample('an entry that is no object: the others run', calls('7', entry('b')), [broken('bad_shape'), callSegment('b')]),
    sample('an entry with an empty name', calls(entry(''), '{"function": {"arguments": "{}"}}'), [
      broken('missing_name'),
      broken('missing_name'),
    ]),
    sample(
      'an entry whose arguments are broken JSON in a string: the others run',
      calls('{"function": {"name": "a", "arguments": "{oops"}}', entry('b')),
      [broken('bad_json', 'a'), callSegment('b')],
    ),
    sample(
      'a list that was cut: nothing runs',
      `ok\n{"tool_calls": [${entry('a')}, {"name": "b"`,
      [textSegment('ok\n'), broken('unclosed')],
      {
        end: 'length',
      },
    ),
    sample('a list that was cut behind its last bracket: nothing runs', `{"tool_calls": [${entry('a')}]`, [broken('unclosed')]), // a choice: the object is not complete
    sample('a list in a fence that was cut: nothing runs', `\`\`\`json\n{"tool_calls": [${entry('a')}`, [broken('unclosed')]),
    sample('an object in a fence that was aborted', `\`\`\`json\n${LIST}\n`, [broken('unclosed')], { end: 'abort' }), // a choice: its end was not seen
    sample('a broken list in a fence, and the next', `${fence('{"tool_calls": [oops]}')}\n${LIST}`, [
      broken('bad_json'),
      textSegment('\n'),
      callSegment('list'),
    ]),
    sample('a broken list without a fence, and the next', `{"tool_calls": [oops]}\n${LIST}`, [
      broken('bad_json'),
      textSegment('\n'),
      callSegment('list'),
    ]),
    sample('a string left open in a fence, and the next', `${fence('{"tool_calls": [{"name": "a}]}')}\nok\n${LIST}`, [
      broken('bad_json'),
      textSegment('\nok\n'),
      callSegment('list'),
    ]),
    sample('a missing bracket in a fence', `${fence('{"tool_calls": [{"name": "a"}')}\nok`, [broken('bad_json'), textSegment('\nok')]),
    sample('words behind the object in a fence', `${fence(`${LIST}\nok?`)}\nok`, [broken('bad_json'), textSegment('\nok')]), // a choice, as in tool-code
    sample(
      'a list over the limit, and the next',
      `${calls(entry('a', `"arguments": {"x": "${'y'.repeat(200)}"}`))}\n${LIST}`,
      [broken('too_large'), textSegment('\n'), callSegment('list')],
      {
        options: { maxAccumulator: 100 },
      },
    ),
  ],
};
