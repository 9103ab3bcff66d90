/** The corpus of `xml-invoke`: calls that it reads, repairs and refuses. */
import { commonSamples } from './common.js';
import { broken, callSegment, MARKERS, proseSample, sample, textSegment, type ProtocolCorpus } from './sample.js';

const parameter = (name: string, value: string) => `<parameter name="${name}">${value}</parameter>`;
const invoke = (name: string, inner = '') => `<invoke name="${name}">${inner}</invoke>`;
const block = (...inner: string[]) => `<tool_use>${inner.join('')}</tool_use>`;
const save = (value: string) => block(invoke('save', parameter('content', value)));
const saved = (value: string, ...flags: ('repaired' | 'suspicious')[]) => callSegment('save', { content: value }, ...flags);

const LIST = `<tool_use>\n${invoke('list')}\n</tool_use>`;
const CODE = 'if (a < b && c > d) {\n\treturn `</tag>` + "\\n";\n}';

export const xmlInvokeCorpus: ProtocolCorpus = {
  protocol: 'xml-invoke',
  markup: '\\ufeff|<tool_use\\s*>|</(?:tool_use|invoke|parameter)\\s*>|</[a-z_]*\\s*$|</?think(?:ing)?>|<!--(?:(?!-->)[\\s\\S])*-->|\\s',
  fragments: [
    '<tool_use>',
    '</tool_use>',
    '<tool_use><invoke name="a">',
    '<invoke name="a">',
    '</invoke>',
    '<parameter name="x">',
    "<parameter name='__proto__'>",
    '</parameter>',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '\r\n',
    LIST,
  ],
  samples: [
    ...commonSamples('xml-invoke', LIST),

    // Openers and hold-back
    proseSample('the opener named in a sentence', 'Use the <tool_use> element for it.'),
    proseSample('the opener with JSON in it', '<tool_use>{"name": "list", "arguments": {}}</tool_use>'),
    proseSample('an opener in capitals', `<Tool_Use>${invoke('list')}</Tool_Use>`),
    proseSample('a call without its block', invoke('list')),
    proseSample('an opener and a call that are words apart', `<tool_use> now ${invoke('list')}</tool_use>`),
    proseSample('every beginning of the opener', '<, <t, <to, <too, <tool, <tool_, <tool_u, <tool_us, <tool_use, <tool_use '),
    proseSample('an opener cut at the end', 'Then <tool_use>\n<invo'),
    sample('an opener inside its own beginning', `<tool_<tool_use${LIST}`, [textSegment('<tool_<tool_use'), callSegment('list')]),
    sample('a call in the middle of a sentence', `So ${LIST}, done.`, [textSegment('So '), callSegment('list'), textSegment(', done.')]),
    sample('a call indented as far as code, which asks', `        ${LIST}`, [
      textSegment('        '),
      callSegment('list', {}, 'suspicious'),
    ]),
    proseSample('a call in inline code', `Write \`${LIST.replaceAll('\n', '')}\`.`),
    proseSample('a call in inline code of three backticks', `Write \`\`\`${LIST.replaceAll('\n', '')}\`\`\`.`),
    proseSample('a call behind an unmatched backtick on its line', `a \` ${LIST.replaceAll('\n', '')}`),

    // Shape
    sample(
      'blanks and line breaks wherever they may stand',
      block('\r\n\t<invoke\r\n\tname = "a"\r\n>', '\r\n<parameter  name= "x" >1</parameter\n>', '\n</invoke \t>\n'),
      [callSegment('a', { x: '1' })],
    ),
    sample(
      'names in single quotes, without quotes, among other attributes',
      block("<invoke type='tool' name='a' id=7>", '<parameter string name=x checked="true">1</parameter>', '</invoke>'),
      [callSegment('a', { x: '1' })],
    ),
    sample('a name with a quote of the other kind', block('<invoke name=\'say "hi"\'></invoke>'), [callSegment('say "hi"')]),
    sample('a name in Chinese', block(invoke('创建任务', parameter('标题', '报告'))), [callSegment('创建任务', { 标题: '报告' })]),
    sample('two equal calls: both count', block(invoke('a'), invoke('a')), [callSegment('a'), callSegment('a')]),
    sample('comments between calls and behind them', block(invoke('a'), '\n<!-- <invoke name="c"> -->\n', invoke('b'), '<!-- -->'), [
      callSegment('a'),
      callSegment('b'),
    ]),
    proseSample('a comment before the first call, which does not commit to a block', block('<!-- so -->', invoke('a'))),
    sample('a block without its end', `<tool_use>${invoke('a')}`, [callSegment('a')]),
    sample('a block without its end, before prose', `<tool_use>${invoke('a')}\nDone.`, [callSegment('a'), textSegment('\nDone.')]),
    sample('closers too many right behind a call', `${LIST}</invoke>\n</tool_use> ok`, [callSegment('list'), textSegment(' ok')]),
    proseSample('closers in prose', 'End it by </parameter></invoke></tool_use> then.'),
    sample('the raw text of a call', `a ${save('1')}`, [
      textSegment('a '),
      {
        type: 'call',
        name: 'save',
        arguments: { content: '1' },
        raw: '<invoke name="save"><parameter name="content">1</parameter></invoke>',
      },
    ]),

    // Values
    sample('code as a value', save(`\n${CODE}\n`), [saved(CODE)]),
    sample('markers of all notations in a value', save(MARKERS.replace('<parameter name="y">', '')), [
      saved(MARKERS.replace('<parameter name="y">', '')),
    ]),
    sample('fences and backticks in a value', save('\n```json\n{"a": "`"}\n```\n'), [saved('```json\n{"a": "`"}\n```')]),
    sample('entities, which are not decoded', save('&lt;&amp;&#60;&quot;'), [saved('&lt;&amp;&#60;&quot;')]),
    sample('one line break of layout on each side', save('\n\n a \n\n  '), [saved('\n a \n')]),
    sample('layout with CRLF', save('\r\na\r\n\r\n'), [saved('a\r\n')]),
    sample('blanks without line breaks, which stay', save('  a\t'), [saved('  a\t')]),
    sample('empty values', block(invoke('a', parameter('x', '') + parameter('y', '\n') + parameter('z', ' '))), [
      callSegment('a', { x: '', y: '', z: ' ' }),
    ]),
    sample('emoji, right-to-left text and lone surrogates in a value', save('👩‍👩‍👧‍👦 العربية \u202e\ud800'), [saved('👩‍👩‍👧‍👦 العربية \u202e\ud800')]),
    sample('beginnings of its end tag in a value', save('</p</para</parameter</parameters></parameter'), [
      saved('</p</para</parameter</parameters></parameter'),
    ]),
    sample('a tag that only resembles its end tag', save('a</parameters>b'), [saved('a</parameters>b')]),
    sample('a value of 5,000 characters', save('lorem ipsum '.repeat(420)), [saved('lorem ipsum '.repeat(420))]),
    sample('a parameter that is given twice', block(invoke('a', parameter('x', '1') + parameter('x', '2'))), [
      callSegment('a', { x: '2' }, 'duplicate_key'),
    ]),
    sample('parameters named like members of objects', block(invoke('a', parameter('toString', '1') + parameter('__proto', '2'))), [
      callSegment('a', { toString: '1', __proto: '2' }),
    ]),
    sample('CDATA with an end tag in it', save('<![CDATA[a</parameter>b]]>'), [saved('a</parameter>b')]),
    sample('CDATA with line breaks, which stay', save('\n<![CDATA[\na\n]]>\n'), [saved('\na\n')]),
    sample('CDATA with its own end in it', save('<![CDATA[x]]]]><![CDATA[>y]]>'), [saved('x]]>y')]),
    sample('CDATA behind other characters, which is text', save('a<![CDATA[b]]>'), [saved('a<![CDATA[b]]>')]),

    // Refused calls
    sample('a value that held its own end tag', save('a </parameter> b'), [broken('malformed', 'save')]),
    sample('a value that held its own end tag and a second call', `${save(`a</parameter>${invoke('evil')}`)}\nEnd.`, [
      broken('malformed', 'save'),
      textSegment('\nEnd.'),
    ]),
    sample('words behind CDATA', save('<![CDATA[a]]>b'), [broken('malformed', 'save')]),
    sample('CDATA that is left open', save('<![CDATA[a'), [broken('unclosed', 'save')]),
    sample('a call in a call', block(invoke('a', invoke('b'))), [broken('malformed', 'a')]),
    sample('a parameter without a name', block(invoke('a', '<parameter>1</parameter>')), [broken('malformed', 'a')]),
    sample('a call without a name, and one with', block('<invoke></invoke>', invoke('b')), [broken('missing_name'), callSegment('b')]),
    sample('a call with a blank name', block(invoke(' ')), [broken('missing_name')]),
    sample('a swallowed parameter', block(invoke('a', '<parameter name="x">1</x><parameter name="y">2</parameter>')), [
      callSegment('a', { x: '1</x><parameter name="y">2' }, 'suspicious'),
    ]),
    sample('a missing end of the call', `<tool_use><invoke name="a">${parameter('x', '1')}</tool_use>`, [
      callSegment('a', { x: '1' }, 'repaired'),
    ]),
    sample('a missing end of a parameter', block(invoke('a', '<parameter name="x">1')), [broken('unclosed', 'a')]),
    sample('a reply that was cut in a value', '<tool_use><invoke name="a"><parameter name="x">1\n', [broken('unclosed', 'a')], {
      end: 'length',
    }),
    sample('a reply that was cut in an end tag', '<tool_use><invoke name="a"></invok', [broken('unclosed', 'a')]),
    sample(
      'a reply that was aborted in the second call',
      `<tool_use>${invoke('a')}<invoke name="b">`,
      [callSegment('a'), broken('unclosed', 'b')],
      { end: 'abort' },
    ),
    ...['__proto__', 'constructor', 'prototype'].map((key) =>
      sample(`a parameter named ${key}`, block(invoke('a', parameter('x', '1') + parameter(key, '{"polluted": true}'))), [
        broken('bad_shape', 'a'),
      ]),
    ),
    sample(
      'a call over the limit, and the next',
      block(invoke('a', parameter('x', 'y'.repeat(200))), invoke('b')),
      [broken('too_large', 'a'), callSegment('b')],
      {
        options: { maxAccumulator: 100 },
      },
    ),
  ],
};
