/** Samples for the three JSON protocols: values, tolerated errors and their limits. */
import type { CallFlag } from '../../protocols/protocol.js';
import { broken, callSegment, MARKERS, sample, type CorpusSample } from './sample.js';

/** The flags of a call that strict JSON would reject. */
export const TOLERATED: CallFlag[] = [];

/** @param write returns the text of a call of `save` with these members after its name */
export function jsonSamples(write: (members: string) => string): CorpusSample[] {
  const strict = (name: string, members: string, values: Record<string, unknown>, ...flags: CallFlag[]) =>
    sample(name, write(members), [callSegment('save', values, ...flags)]);
  const lenient = (name: string, members: string, values: Record<string, unknown>) => strict(name, members, values, ...TOLERATED);
  const refused = (name: string, code: 'bad_json' | 'bad_shape', members: string) => sample(name, write(members), [broken(code)]);
  const value = (source: unknown) => `"arguments": {"content": ${JSON.stringify(source)}}`;
  const kept = (name: string, source: unknown) => strict(name, value(source), { content: source });
  const deep = (depth: number) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`) as unknown;

  return [
    // Values
    strict('values of every type', '"arguments": {"a": 1.5, "b": true, "c": null, "d": [1, "2", {}], "e": {"f": -0.1e3}}', {
      a: 1.5,
      b: true,
      c: null,
      d: [1, '2', {}],
      e: { f: -100 },
    }),
    strict('escapes in strings', '"arguments": {"content": "\\"\\\\\\/\\b\\f\\n\\r\\t\\u4f60\\ud83d\\ude00"}', {
      content: '"\\/\b\f\n\r\t你😀',
    }),
    kept('braces, brackets and quotes in a string', '}]"{["}\\'),
    kept('backslashes at the end of a string', 'C:\\new\\'),
    kept('fences and end tags in a string', 'a\n```\nb\n```json\n{}\n```\n</tool_code>\n~~~\n'),
    kept('markers of all notations in a string', MARKERS),
    kept('an empty string', ''),
    kept('emoji, right-to-left text and lone surrogates in a string', '👩‍👩‍👧‍👦 العربية \u202e \ud800'),
    kept('what looks like comments, quotes and literals in a valid string', "https://a.b/*c*/ // it's True, None,}"),
    kept('a string of 5,000 characters', 'lorem "ipsum" '.repeat(357)),
    kept('lists nested fifty deep', deep(50)),
    refused('lists nested deeper than anything that can be shown', 'bad_shape', value(deep(200))),
    strict('arguments over several lines', '\n  "arguments": {\n    "content": [\n      1\n    ]\n  }\n', { content: [1] }),
    strict('keys named like members of objects', '"arguments": {"toString": 1, "hasOwnProperty": {"valueOf": 2}}', {
      toString: 1,
      hasOwnProperty: { valueOf: 2 },
    }),
    strict('a key that is given twice: the last wins', '"arguments": {"x": 1, "x": 2}', { x: 2 }, 'duplicate_key'),

    // The shape of arguments
    strict('arguments that are absent', '"id": "7"', {}),
    strict('arguments that are null', '"arguments": null', {}),
    strict('arguments as JSON in a string', '"arguments": "{\\"content\\": \\"a \\\\\\"b\\\\\\"\\"}"', { content: 'a "b"' }),
    strict('arguments as an empty string', '"arguments": ""', {}), // a choice: endpoints send this for "none"
    strict('arguments that are named parameters', '"parameters": {"x": 1}', { x: 1 }),
    refused('arguments that are a list', 'bad_shape', '"arguments": ["x"]'),
    refused('arguments that are a number', 'bad_shape', '"arguments": 1'),
    refused('arguments that are a list in a string', 'bad_shape', '"arguments": "[1]"'),
    refused('arguments that are a string but no JSON', 'bad_json', '"arguments": "x=1"'), // a choice: the text itself is invalid

    // Tolerance
    lenient('comments of both kinds', '// why\n/* and { " */ "arguments": {"x": 1 /* } */}// end\n', { x: 1 }),
    lenient('trailing commas', '"arguments": {"x": [1, 2,], "y": {"z": 3,},},', { x: [1, 2], y: { z: 3 } }),
    lenient('single quotes', "'arguments': {'x': 'say \"hi\", it\\'s'}", { x: 'say "hi", it\'s' }),
    lenient('an apostrophe in a string of a tolerated object', '"arguments": {"x": "it\'s",}', { x: "it's" }),
    lenient('bare keys', 'arguments: {x: 1, $y_2: 2}', { x: 1, $y_2: 2 }),
    lenient('literals of Python', '"arguments": {"a": True, "b": False, "c": None}', { a: true, b: false, c: null }),
    lenient('raw line breaks and tabs in a string', '"arguments": {"x": "a\n\tb\r\nc"}', { x: 'a\n\tb\r\nc' }),
    lenient('escapes that JSON does not know', '"arguments": {"x": "\\$5 \\d+"}', { x: '$5 d+' }),

    // Beyond tolerance
    refused('quotes in a string that are not escaped', 'bad_json', '"arguments": {"x": "say "hi" now"}'),
    refused('a missing value', 'bad_json', '"arguments": {"x": }'),
    refused('a missing comma', 'bad_json', '"arguments": {"x": 1 "y": 2}'),
    refused('an expression', 'bad_json', '"arguments": {"x": "a" + "b"}'),
    refused('a number that JSON does not know', 'bad_json', '"arguments": {"x": NaN}'), // a choice: this error is not among the tolerated ones

    // Prototypes
    ...['__proto__', 'constructor', 'prototype'].map((key) =>
      refused(`a key named ${key}`, 'bad_shape', `"arguments": {"x": 1, "${key}": {"polluted": true}}`),
    ),
    refused('a key named __proto__ that is escaped', 'bad_shape', '"arguments": {"\\u005f_prot\\u006f__": {"polluted": true}}'),
    refused('a key named constructor deep inside', 'bad_shape', '"arguments": {"x": [{"y": {"constructor": {"prototype": {}}}}]}'),
    refused('a bare key named __proto__', 'bad_shape', '"arguments": {__proto__: {polluted: true}}'),
    refused('a key named __proto__ in arguments that are a string', 'bad_shape', '"arguments": "{\\"__proto__\\": 1}"'),
    kept('names of prototypes as values', ['__proto__', 'constructor']),
  ];
}
