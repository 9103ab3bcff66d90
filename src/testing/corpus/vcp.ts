/** The corpus of `vcp`: calls that it reads, repairs and refuses. */
import { commonSamples } from './common.js';
import { broken, callSegment, proseSample, sample, textSegment, type ProtocolCorpus } from './sample.js';

const START = '<<<[TOOL_REQUEST]>>>';
const END = '<<<[END_TOOL_REQUEST]>>>';
const field = (key: string, value: string) => `${key}:「始」${value}「末」`;
const escaped = (key: string, value: string) => `${key}:「始ESCAPE」${value}「末ESCAPE」`;
const block = (...fields: string[]) => [START, ...fields, END].join('\n');
const save = (...fields: string[]) => block(field('tool_name', 'save'), ...fields);

const LIST = block(field('tool_name', 'list'));
const OTHERS = '<tool_use> <invoke name="x"> </parameter> <tool_code> ```json {"tool_calls": [ <think> ~~~';

export const vcpCorpus: ProtocolCorpus = {
  protocol: 'vcp',
  markup: '\\ufeff|<<<\\[(?:END_)?TOOL_REQUEST\\]>>>|</?think(?:ing)?>|\\s',
  fragments: [
    START,
    END,
    '<<<[',
    '<<<[TOOL_REQUEST',
    '「始」',
    '「末」',
    '「始ESCAPE」',
    '「末ESCAPE」',
    'tool_name:「始」a「末」',
    'x:「始」',
    '__proto__:「始」1「末」',
    `${START}tool_name:「始」a「末」`,
    `${START}x:「始」`,
    `${START}x:「始ESCAPE」`,
    '「末」\n,',
    ': ',
    '\r\n',
    LIST,
  ],
  samples: [
    ...commonSamples('vcp', LIST),

    // Markers
    proseSample('markers with too few brackets', `<<[TOOL_REQUEST]>>\n${field('tool_name', 'a')}\n<<[END_TOOL_REQUEST]>>`),
    proseSample('markers in small letters', `<<<[tool_request]>>>\n${field('tool_name', 'a')}\n<<<[end_tool_request]>>>`),
    proseSample(
      'other markers of the family',
      '<<<[TOOL_RESULT]>>> <<<[TOOL_DEFINITION]>>> <<<[TOOL_REQUEST_ESCAPE]>>> <<<[END_TOOL_REQUEST_ESCAPE]>>>',
    ),
    proseSample('an end marker in prose', `It ends with ${END} then.`),
    proseSample('field marks in prose', `「始」和「末」: ${field('tool_name', 'list')}`),
    proseSample(
      'every beginning of the marker',
      '<, <<, <<<, <<<[, <<<[T, <<<[TOOL, <<<[TOOL_, <<<[TOOL_REQUEST, <<<[TOOL_REQUEST], <<<[TOOL_REQUEST]>, <<<[TOOL_REQUEST]>>',
    ),
    sample('a marker with one bracket too many', `<${LIST}`, [textSegment('<'), callSegment('list')]),
    proseSample('a block in inline code', `Write \`${LIST.replaceAll('\n', '')}\`.`),
    proseSample('a block behind an unmatched backtick on its line', `a \` ${LIST.replaceAll('\n', '')}`),
    sample('a block in the middle of a sentence', `So ${LIST}, done.`, [textSegment('So '), callSegment('list'), textSegment(', done.')]),
    sample('a block indented as far as code, which asks', `        ${LIST}`, [
      textSegment('        '),
      callSegment('list', {}, 'suspicious'),
    ]),
    sample('two blocks without anything between', LIST + LIST, [callSegment('list'), callSegment('list')]),

    // Fields
    sample(
      'the example of the family',
      block(`${field('maid', 'Nova')},`, `${field('tool_name', 'FileOperator')},`, `${field('command', 'ReadFile')},`, field('path', '/a')),
      [callSegment('FileOperator', { maid: 'Nova', command: 'ReadFile', path: '/a' })],
    ),
    sample(
      'fields on one line, with and without commas',
      `${START}${field('tool_name', 'a')},${field('x', '1')} ${field('y', '2')}${field('z', '3')}${END}`,
      [callSegment('a', { x: '1', y: '2', z: '3' })],
    ),
    sample('blanks around the colon', `${START}\ntool_name : 「始」a「末」\nx\t:\t「始」1「末」\n${END}`, [callSegment('a', { x: '1' })]),
    sample('the name behind other fields', block(field('x', '1'), field('tool_name', 'a')), [callSegment('a', { x: '1' })]),
    sample('keys with digits, dashes and underscores', save(field('command1', 'a'), field('file-Path_2', 'b')), [
      callSegment('save', { command1: 'a', 'file-Path_2': 'b' }),
    ]),
    sample('remarks between fields, which are ignored', save('Now the content:', field('x', '1'), '(done)'), [
      callSegment('save', { x: '1' }),
    ]),
    sample('blanks around a value, which are trimmed', save(field('x', ' \n a  b \r\n')), [callSegment('save', { x: 'a  b' })]),
    sample('line breaks, colons and commas in a value', save(field('x', 'a: 1,\r\nb: 2,\n\nc')), [
      callSegment('save', { x: 'a: 1,\r\nb: 2,\n\nc' }),
    ]),
    sample('blanks around a name', block(field('tool_name', '  a\n')), [callSegment('a')]),
    sample('an empty value, and one of blanks', save(field('x', ''), field('y', ' \n')), [callSegment('save', { x: '', y: '' })]),
    sample('markers of other notations in a value', save(field('x', OTHERS)), [callSegment('save', { x: OTHERS })]),
    sample('a start marker in a value', save(field('x', `a ${START} b`)), [callSegment('save', { x: `a ${START} b` })]),
    sample('quotation marks of the kind in a value', save(field('x', '「a」「始」「末')), [callSegment('save', { x: '「a」「始」「末' })]),
    sample('emoji, right-to-left text and lone surrogates in a value', save(field('x', '👩‍👩‍👧‍👦 العربية \u202e\ud800')), [
      callSegment('save', { x: '👩‍👩‍👧‍👦 العربية \u202e\ud800' }),
    ]),
    sample('a value of 5,000 characters', save(field('x', '好 lorem ipsum.'.repeat(357))), [
      callSegment('save', { x: '好 lorem ipsum.'.repeat(357) }),
    ]),
    sample('a field that is given twice: the later wins', save(field('path', '/a'), field('path', '/b')), [
      callSegment('save', { path: '/b' }, 'duplicate_key'),
    ]),
    sample('fields named like members of objects', save(field('toString', '1'), field('hasOwnProperty', '2')), [
      callSegment('save', { toString: '1', hasOwnProperty: '2' }),
    ]),
    sample('a block with CRLF', save(field('x', '1')).replaceAll('\n', '\r\n'), [callSegment('save', { x: '1' })]),

    // ESCAPE
    sample('an escaped value with field marks', save(escaped('x', `a ${field('y', '1')} b`)), [
      callSegment('save', { x: `a ${field('y', '1')} b` }),
    ]),
    sample('an escaped value with the end marker', save(escaped('x', `a\n${END}\nb`), field('y', '1')), [
      callSegment('save', { x: `a\n${END}\nb`, y: '1' }),
    ]),
    sample('an escaped value with a whole block', save(escaped('x', LIST)), [callSegment('save', { x: LIST })]),
    sample(
      'an escaped value with escaped markers, which become plain',
      save(escaped('x', '<<<[TOOL_REQUEST_ESCAPE]>>> a <<<[END_TOOL_REQUEST_ESCAPE]>>>')),
      [callSegment('save', { x: `${START} a ${END}` })],
    ),
    sample('escaped markers in a plain value, which stay', save(field('x', '<<<[TOOL_REQUEST_ESCAPE]>>>')), [
      callSegment('save', { x: '<<<[TOOL_REQUEST_ESCAPE]>>>' }),
    ]),
    sample('an escaped value that is trimmed', save(escaped('x', '\n a\n')), [callSegment('save', { x: 'a' })]),
    sample('an escaped name', block(escaped('tool_name', 'list')), [callSegment('list')]),
    sample('a plain end mark in an escaped value', save(escaped('x', 'a「末」b')), [callSegment('save', { x: 'a「末」b' })]),

    // Broken
    sample('a block without a name', `${block(field('x', '1'))}\nok`, [broken('missing_name'), textSegment('\nok')]),
    sample('a block with an empty name', block(field('tool_name', ' ')), [broken('missing_name')]),
    sample('a block with nothing in it', `${START}${END} ok`, [broken('missing_name'), textSegment(' ok')]),
    sample('a block without its end', `Hi ${START}\n${field('tool_name', 'a')}\n`, [textSegment('Hi '), broken('unclosed', 'a')]),
    sample('a block cut in a value', `${START}\n${field('tool_name', 'a')}\nx:「始」1`, [broken('unclosed', 'a')], { end: 'length' }),
    sample('a block cut in its end marker', `${START}\n${field('tool_name', 'a')}\n<<<[END_TOOL`, [broken('unclosed', 'a')]),
    sample('a block that was aborted', `${START}\n${field('tool_name', 'a')}\n`, [broken('unclosed', 'a')], { end: 'abort' }),
    sample(
      'a block that was aborted behind a complete one',
      `${LIST}\n${START}`,
      [callSegment('list'), textSegment('\n'), broken('unclosed')],
      {
        end: 'abort',
      },
    ),
    sample(
      'a block that begins in another: the fields are not merged',
      `${START}\n${field('tool_name', 'a')}\n${field('x', '1')}\n${LIST}\nok`,
      [broken('unclosed', 'a'), callSegment('list'), textSegment('\nok')],
    ),
    sample('an end mark that is missing', `${save('x:「始」1')}\nok`, [broken('malformed', 'save'), textSegment('\nok')]),
    sample('an end mark that is missing in the first field', block('tool_name:「始」a'), [broken('malformed')]),
    sample('the end marker in a plain value', save(field('x', `a ${END} b`)), [
      broken('malformed', 'save'),
      textSegment(` b「末」\n${END}`),
    ]),
    sample('a full-width colon, which makes no field', block('tool_name：「始」a「末」'), [broken('missing_name')]),
    sample('marks of other kinds, which make no field', block('tool_name:{始}a{末}', 'tool_name:「始exp」b「末exp」', 'tool_name:"c"'), [
      broken('missing_name'),
    ]),
    ...['__proto__', 'constructor', 'prototype'].map((key) =>
      sample(`a field named ${key}`, save(field(key, '{"polluted": true}'), field('x', '1')), [broken('bad_shape', 'save')]),
    ),
    sample(
      'a block over the limit, and the next',
      `${save(field('x', 'y'.repeat(200)))}\n${LIST}`,
      [broken('too_large', 'save'), textSegment('\n'), callSegment('list')],
      {
        options: { maxAccumulator: 100 },
      },
    ),
  ],
};
