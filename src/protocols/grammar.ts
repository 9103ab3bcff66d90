/**
 * Writes the format of a protocol and the available tools as a grammar in llama.cpp's GBNF. A server that enforces it lets a model write prose, or calls
 * of these tools in exactly this format. The grammar guarantees the form, not the meaning.
 */
import { own } from '../base/objects.js';
import { createAllowance } from '../base/allowance.js';
import type { SchemaModel } from '../model/schema-model.js';
import { oneObject, promptSchema } from '../model/prompt-schema.js';
import type { JsonSchema, ToolDescription } from './protocol.js';
import { sortTools } from './render-tool-docs.js';

export interface GrammarOptions {
  callsPerTurn: 'one' | 'many' | 'confirm-chain';
  /** The only tool that may be called, and no prose: the call is mandatory. */
  certain?: string | undefined;
}

interface ProtocolGrammar {
  /** The rule for prose that opens no call. */
  prose: string;
  call(name: string, parameters: readonly Parameter[], write: ValueWriter): string;
  /** Wraps all calls of a reply; `calls` is a rule. Default: one after another. */
  all?(many: boolean): string;
}

interface Parameter {
  name: string;
  required: boolean;
  schema: SchemaModel;
}

/** Returns the rule of a value, depending on how the protocol writes strings. */
type ValueWriter = (schema: SchemaModel, text: 'json' | 'xml' | 'marks') => string;

// Fences are excluded too, because calls in a fence do not run.
const TAGGED = '( [^<`] | "`" [^<`] | "<" ( [^<`ti/] | "/" [^<`ti] ) )+';
// Excludes fences and the beginning of an object.
const WITHOUT_JSON = '( [^`{] | "`" [^`{] | "{" [^"\\n \\t`{] )+';

const protocolGrammars: Readonly<Record<string, ProtocolGrammar>> = {
  'xml-invoke': {
    prose: TAGGED,
    call: (name, parameters, write) =>
      sequence(
        literal(`<tool_use>\n<invoke name="${name}">\n`),
        ...parameters.map((one) =>
          optional(one, sequence(literal(`<parameter name="${one.name}">`), write(one.schema, 'xml'), literal('</parameter>\n'))),
        ),
        literal('</invoke>\n</tool_use>'),
      ),
  },
  vcp: {
    prose: '( [^<「`] | "`" [^<「`] | "<" [^<「`] )+',
    call: (name, parameters, write) =>
      sequence(
        literal(`<<<[TOOL_REQUEST]>>>\ntool_name:「始」${name}「末」\n`),
        ...parameters.map((one) => optional(one, sequence(literal(`${one.name}:「始」`), write(one.schema, 'marks'), literal('「末」\n')))),
        literal('<<<[END_TOOL_REQUEST]>>>'),
      ),
  },
  'json-action': {
    prose: WITHOUT_JSON,
    call: (name, parameters, write) =>
      sequence(
        literal(`\`\`\`json\n{\n  "action": "tool_call",\n  "name": ${JSON.stringify(name)},\n  "arguments": `),
        writeObject(parameters, write),
        literal('\n}\n```'),
      ),
  },
  'tool-code': {
    prose: TAGGED,
    call: (name, parameters, write) => sequence(literal('<tool_code>\n'), callObject(name, parameters, write), literal('\n</tool_code>')),
  },
  'json-tool-calls': {
    prose: WITHOUT_JSON,
    call: (name, parameters, write) =>
      sequence(
        '"{\\"id\\": \\"call_" [0-9] [0-9]? "\\", \\"type\\": \\"function\\", \\"function\\": "',
        callObject(name, parameters, write),
        '"}"',
      ),
    all: (many) => `"{\\"tool_calls\\": [" call ${many ? '( comma call )* ' : ''}"]}"`,
  },
};

function callObject(name: string, parameters: readonly Parameter[], write: ValueWriter): string {
  return sequence(literal(`{"name": ${JSON.stringify(name)}, "arguments": `), writeObject(parameters, write), literal('}'));
}

/** @returns `undefined` for a host's protocol, and if there is no tool to call */
export function writeGrammar(protocolId: string, tools: readonly ToolDescription[], options: GrammarOptions): string | undefined {
  const protocol = own(protocolGrammars, protocolId) as ProtocolGrammar | undefined;
  const methods = sortTools([...tools]).flatMap((tool) => tool.methods);
  const chosen = options.certain === undefined ? methods : methods.filter(({ name }) => name === options.certain);
  if (!protocol || chosen.length === 0) return undefined;
  const rules = new Map<string, string>();
  const add = (name: string, body: string): string => {
    rules.set(name, body);
    return name;
  };
  const allowance = createAllowance();
  const calls = chosen.map((method, at) => {
    const writer: ValueWriter = (schema, text) => writeValue(schema, text, (body) => add(`t${String(at)}-v${String(rules.size)}`, body));
    const parameters = propertiesOf(oneObject(promptSchema(method.parameters ?? {}, allowance)));
    return add(`t${String(at)}`, protocol.call(method.name, parameters, writer));
  });
  add('call', calls.join(' | '));
  const many = options.callsPerTurn === 'many' && options.certain === undefined;
  add('calls', protocol.all?.(many) ?? (many ? 'call ( "\\n" call )*' : 'call'));
  add('prose', protocol.prose);
  const root = options.certain === undefined ? 'calls | prose ( "\\n" calls )?' : 'calls';
  return [`root ::= ${root}`, ...[...rules].map(([name, body]) => `${name} ::= ${body}`), GENERAL_RULES].join('\n');
}

/** Returns a JSON schema for the one mandatory call, for services that enforce schemas. Only `json-tool-calls` is pure JSON. */
export function writeCallSchema(protocolId: string, tools: readonly ToolDescription[], certain: string): JsonSchema | undefined {
  const method = tools.flatMap(({ methods }) => methods).find(({ name }) => name === certain);
  if (protocolId !== 'json-tool-calls' || !method) return undefined;
  const { $schema: _, ...parameters } = method.parameters ?? {};
  const object = (properties: JsonSchema) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const called = object({ name: { type: 'string', enum: [certain] }, arguments: { type: 'object', properties: {}, ...parameters } });
  const call = object({ id: { type: 'string' }, type: { type: 'string', enum: ['function'] }, function: called });
  return object({ tool_calls: { type: 'array', items: call, minItems: 1, maxItems: 1 } });
}

const sequence = (...parts: string[]): string => parts.join(' ');
const optional = ({ required }: Parameter, rule: string): string => (required ? rule : `( ${rule} )?`);

/** Returns the parameters in their declared order, which the examples use too. */
function propertiesOf({ properties = {}, required }: SchemaModel): Parameter[] {
  const needed = new Set(required);
  return Object.entries(properties).map(([name, schema]) => ({ name, required: needed.has(name), schema }));
}

/** Maximum number of optional members. With more, any JSON object is allowed. */
const MOST_FIRST = 60;

/** Writes the rule of an object. Required members come first, so that no comma depends on an omitted one. */
function writeObject(parameters: readonly Parameter[], write: ValueWriter): string {
  const member = ({ name, schema }: Parameter) => sequence(literal(`${JSON.stringify(name)}:`), '" "?', write(schema, 'json'));
  const must = parameters.filter(({ required }) => required).map(member);
  const may = parameters.filter(({ required }) => !required).map(member);
  const tail = (from: number) => may.slice(from).map((one) => `( comma ${one} )?`);
  if (must.length > 0) return sequence('"{"', must.join(' comma '), ...tail(0), '"}"');
  if (may.length === 0) return '"{}"';
  // Each member that can be the first is written with all later ones.
  if (may.length > MOST_FIRST) return 'json-object';
  // Any optional member can be the first.
  return sequence('"{" (', may.map((one, at) => sequence(one, ...tail(at + 1))).join(' | '), ')? "}"');
}

/** Depth beyond which any JSON is allowed. */
const MAX_DEPTH = 4;
/** Length, in characters, beyond which a value becomes a separate rule. */
const LONG = 200;

type Add = (body: string) => string;

function writeValue(schema: SchemaModel, text: 'json' | 'xml' | 'marks', add: Add, depth = 0): string {
  const { anyOf, nullable } = schema;
  const rule = anyOf
    ? `( ${[...new Set(anyOf.map((one) => writeValue({ ...inherited(schema), ...one }, text, add, depth + 1)))].join(' | ')} )`
    : writePlain(schema, text, add, depth);
  const whole = nullable ? `( ${rule} | "null" )` : rule;
  return whole.length > LONG ? add(whole) : whole;
}

/** Returns the keywords that a member of a union inherits from its parent. */
const inherited = ({ type, properties, required, items }: SchemaModel): SchemaModel => ({
  ...(type !== undefined && { type }),
  ...(properties && { properties }),
  ...(required && { required }),
  ...(items && { items }),
});

function writePlain(schema: SchemaModel, text: 'json' | 'xml' | 'marks', add: Add, depth: number): string {
  const asText = (value: unknown) => (text === 'json' || typeof value !== 'string' ? JSON.stringify(value) : value);
  if (schema.enum) return `( ${schema.enum.map((value) => literal(asText(value) ?? '')).join(' | ')} )`;
  const quote = (rule: string) => (text === 'json' ? `"\\"" ${rule} "\\""` : rule);
  switch (schema.type) {
    case 'string': {
      const pattern = patternRule(schema['pattern'], schema['format'], text);
      if (pattern !== undefined) return quote(add(pattern));
      return text === 'json' ? 'json-string' : text === 'xml' ? 'xml-text' : 'marked-text';
    }
    case 'integer':
      return 'json-integer';
    case 'number':
      return 'json-number';
    case 'boolean':
      return '( "true" | "false" )';
    case 'null':
      return '"null"';
    case 'array': {
      const item = schema.items && depth < MAX_DEPTH ? add(writeValue(schema.items, 'json', add, depth + 1)) : 'json-value';
      return `"[" ( ${item} ( comma ${item} )* )? "]"`;
    }
    case 'object': {
      const members = propertiesOf(schema);
      if (members.length === 0 || depth >= MAX_DEPTH) return 'json-object';
      return add(writeObject(members, (inner) => writeValue(inner, 'json', add, depth + 1)));
    }
    default:
      return text === 'json' ? 'json-value' : text === 'xml' ? 'xml-text' : 'marked-text';
  }
}

/** Returns a GBNF literal that matches exactly this text. */
function literal(text: string): string {
  return `"${escape(text, /["\\]/g)}"`;
}

function escape(text: string, special: RegExp): string {
  return text.replace(special, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}

/** General rules. Strings are never empty, because an empty value should be omitted. */
const GENERAL_RULES = `json-value ::= json-object | json-array | json-string | json-number | "true" | "false" | "null"
comma ::= "," " "?
json-object ::= "{" ( json-member ( comma json-member )* )? "}"
json-member ::= json-string ":" " "? json-value
json-array ::= "[" ( json-value ( comma json-value )* )? "]"
json-string ::= "\\"" json-char+ "\\""
json-char ::= [^"\\\\\\x00-\\x1F] | "\\\\" ( ["\\\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] )
json-integer ::= "-"? ( "0" | [1-9] [0-9]* )
json-number ::= json-integer ( "." [0-9]+ )?
xml-text ::= [^<\\x00-\\x08]+
marked-text ::= [^「」\\x00-\\x08]+`;

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const FORMATS = new Map<unknown, string>([
  ['date', DATE],
  ['date-time', `${DATE}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})`],
  ['uuid', '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'],
]);

/** Longer patterns, and larger repetition counts, cost a server too much. */
const MOST_CHARS = 300;
const MOST_TIMES = 64;

/**
 * Converts a pattern to a rule if it is anchored at both ends and uses only features of both languages: characters, classes, groups,
 * alternatives and repetitions. `undefined` for anything else, and for characters that the text cannot contain.
 */
export function patternRule(pattern: unknown, format: unknown, text: 'json' | 'xml' | 'marks'): string | undefined {
  const bound = typeof pattern === 'string' ? /^\^([^]*)\$$/.exec(pattern)?.[1] : FORMATS.get(format);
  if (bound === undefined || bound.length > MOST_CHARS) return undefined;
  const forbidden = text === 'json' ? /["\\]/ : text === 'xml' ? /[<]/ : /[「」]/;
  let rule = '';
  let depth = 0;
  let repeatable = false;
  for (let at = 0; at < bound.length;) {
    const rest = bound.slice(at);
    const [group] = /^\((?:\?:)?(?!\?)/.exec(rest) ?? [];
    const [set] = /^\[(?:[^\\\][]|\\[dw\-.])+\]/.exec(rest) ?? [];
    const [times, least = '', , most] = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(rest) ?? [];
    const [escaped] = /^\\[dw\-./:()[\]{}+*?|^$]/.exec(rest) ?? [];
    const [plain] = /^[^\\()[\]{}+*?|^$.]/u.exec(rest) ?? [];
    if (group) {
      rule += '( ';
      depth += 1;
      at += group.length;
      repeatable = false;
    } else if (rest.startsWith(')') && depth > 0) {
      rule += ') ';
      depth -= 1;
      at += 1;
      repeatable = true;
    } else if (rest.startsWith('|')) {
      // Outside of a group, `|` would separate the anchors: `^a|b$` is not `^(a|b)$`.
      if (depth === 0) return undefined;
      rule += '| ';
      at += 1;
      repeatable = false;
    } else if (set) {
      const inside = set.slice(1, -1).replaceAll('\\d', '0-9').replaceAll('\\w', 'A-Za-z0-9_').replaceAll('\\.', '.');
      // A negated class may include the characters that end the text.
      if (inside.startsWith('^') || forbidden.test(inside)) return undefined;
      rule += `[${inside}] `;
      at += set.length;
      repeatable = true;
    } else if (escaped || plain) {
      const one = escaped ?? plain ?? '';
      const char = escaped ? one.slice(1) : one;
      if (forbidden.test(char)) return undefined;
      rule += escaped && char === 'd' ? '[0-9] ' : escaped && char === 'w' ? '[A-Za-z0-9_] ' : `${literal(char)} `;
      at += one.length;
      repeatable = true;
    } else if (repeatable && (times ?? '') !== '' && Number(most || least) <= MOST_TIMES) {
      rule = `${rule.trimEnd()}${times ?? ''} `;
      at += times?.length ?? 0;
      repeatable = false;
    } else if (repeatable && /^[*+?](?![?+])/.test(rest)) {
      rule = `${rule.trimEnd()}${rest[0] ?? ''} `;
      at += 1;
      repeatable = false;
    } else return undefined;
  }
  return depth === 0 && rule !== '' ? rule.trim() : undefined;
}
