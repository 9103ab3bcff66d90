/**
 * Finds the tool that a request means among tools the scripted model has no rules for, by the words it shares with name and description.
 */
import type { PlannedCall, PromptParameter, PromptTool } from './protocol.js';

const QUOTED = /「([^」]{1,500})」|《([^》]{1,500})》|“([^”]{1,500})”|‘([^’]{1,500})’|"([^"]{1,500})"|(?<!\w)'([^']{1,500})'/g;

/**
 * Plans a call for each thing that the request names, with every argument it gives. A missing required argument is left out, so that the
 * tool reports it. Returns no calls if no tool fits.
 */
export function planAnyTool(request: string, tools: Iterable<PromptTool>, known: ReadonlySet<string>): PlannedCall[] {
  let best: { tool: PromptTool; score: number } | undefined;
  for (const tool of tools) {
    if (known.has(tool.name)) continue;
    const score = likeness(request, tool);
    if (score > (best?.score ?? 0)) best = { tool, score };
  }
  if (!best) return [];
  const { tool } = best;
  return readSeveral(request, tool).map((given) => ({ name: tool.name, arguments: given ?? readArguments(request, tool) }));
}

/** Maximum number of things in one request. */
const MAX_AT_ONCE = 10;

/**
 * Reads the arguments for each thing named: `add milk and 2 eggs to the list`, `把「牛奶」和「鸡蛋」加到清单里`. Returns one undefined if only one is
 * named.
 */
function readSeveral(request: string, { parameters }: PromptTool): (Record<string, string> | undefined)[] {
  const [needed, ...more] = parameters.filter(({ required }) => required);
  const quoted = readQuoted(request);
  const named = quoted.length > 0 ? quoted : (readObject(request)?.split(/\s*[、,，]\s*|\s*和\s*|\s+and\s+/i) ?? []);
  if (!needed || more.length > 0 || named.length < 2) return [undefined];
  const many = parameters.find((parameter) => parameter !== needed && isNumeric(parameter));
  return named
    .filter(Boolean)
    .slice(0, MAX_AT_ONCE)
    .map((thing) => {
      const [, number, rest] = (many && /^(\d+)\s*(\S.*)$/.exec(thing)) ?? [];
      return { [needed.name]: rest ?? thing, ...(many && number !== undefined && { [many.name]: number }) };
    });
}

const readQuoted = (request: string) =>
  [...request.matchAll(QUOTED)].flatMap(([, ...inside]) => inside.find((text) => text !== undefined) ?? []);

/** First words of tool names, and the words by which users express them. */
const VERBS: readonly { names: RegExp; said: RegExp }[] = [
  { names: /^(?:add|create|insert|append|put)$/, said: /\b(?:add|put|create|insert|append)\b|加|添|放进|记下/i },
  { names: /^(?:list|show|read|get|view)$/, said: /\b(?:list|show|read|what|what's|which)\b|列出|查看|看看|显示|有什么|有哪些|有啥/i },
  { names: /^(?:remove|delete|drop)$/, said: /\b(?:remove|delete|drop|take)\b|删|移除|去掉|拿掉/i },
];

const bare = (request: string) => request.replace(QUOTED, ' ');

function likeness(request: string, { name, description }: PromptTool): number {
  const text = request.toLowerCase();
  if (text.includes(name.toLowerCase())) return 10;
  const words = splitName(name);
  const shared = words.filter((word) => hasWord(text, word)).length;
  if (shared === words.length) return 5 + shared;
  // Chinese has no spaces: two shared pairs of adjacent characters are enough of a hint for a demo.
  const pairs = new Set([...description.matchAll(/(?=(\p{Script=Han}{2}))/gu)].map(([, pair]) => pair!));
  const common = [...pairs].filter((pair) => text.includes(pair)).length;
  const described = description.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  const told = new Set(described.filter((word) => hasWord(text, word.replace(/s$/, '')))).size;
  const hint = common >= 2 ? common : told >= 2 ? told : 0;
  // The verb only decides between tools for the same things. It is no hint by itself.
  const verb = VERBS.find(({ names }) => names.test(words[0] ?? ''));
  return hint + (verb?.said.test(bare(request)) && (common > 0 || told > 0) ? 3 : 0);
}

function splitName(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]+/)
    .filter(Boolean);
}

/** Checks whether the text contains the word in singular or plural: `order` matches `orders` and vice versa. */
function hasWord(text: string, word: string): boolean {
  const stem = word.replace(/s$/, '');
  return (text.match(/[a-z0-9]+/g) ?? []).some((candidate) => candidate === word || candidate.replace(/s$/, '') === stem);
}

function readArguments(request: string, { name, parameters }: PromptTool): Record<string, string> {
  const values: Record<string, string> = {};
  const quoted = readQuoted(request);
  const numbers = [...(bare(request).match(/-?\d+(?:\.\d+)?/g) ?? [])];
  const required = parameters.filter((parameter) => parameter.required);
  const texts = required.filter((parameter) => !isNumeric(parameter));
  /** Reads the only text that the request has to name. A number in it belongs to a required number. */
  const readOnly = (parameter: PromptParameter): string => {
    const text = required.length > 1 && !isNumeric(parameter) ? request.replace(/(?:^|\s)-?\d+(?:\.\d+)?(?![\w.])/g, ' ') : request;
    return readObject(text) ?? leftover(text, name);
  };
  for (const parameter of parameters) {
    const pair = new RegExp(`(?:^|[\\s,，;；(（])${escape(parameter.name)}\\s*(?:[:：=]|是|为)\\s*("[^"]*"|[^\\s,，;；)）]+)`, 'i').exec(
      request,
    );
    if (pair) values[parameter.name] = pair[1]!.replace(/^"|"$/g, '');
  }
  for (const parameter of parameters) {
    if (Object.hasOwn(values, parameter.name)) continue;
    const number = isNumeric(parameter) ? numbers.shift() : undefined;
    const value =
      number ??
      (parameter.required
        ? (quoted.shift() ?? (required.length === 1 || (texts.length === 1 && texts[0] === parameter) ? readOnly(parameter) : undefined))
        : undefined);
    if (value) values[parameter.name] = value;
  }
  return values;
}

function isNumeric({ name, type }: PromptParameter): boolean {
  if (type !== undefined) return type === 'integer' || type === 'number';
  return /count|number|amount|quantity|price|limit|size|age|year|数/i.test(name);
}

/** Returns the thing to add or remove: `add 2 apples to the list` → `apples`, `把苹果加到清单` → `苹果`. */
function readObject(request: string): string | undefined {
  const text = request.trim().replace(/[。.!！?？\s]+$/, '');
  const english =
    /^(?:please\s+)?(?:add|put|remove|delete|drop|take)\s+(?:\d+\s+)?(?:the\s+)?(.+?)\s+(?:to|on|onto|into|in|from|off)\s+(?:the|my|our)\s/i;
  const chinese = /把\s*(?:\d+\s*[个瓶盒份包斤件]?)?(.+?)(?:从|加|添|放|删|移|去掉|拿)/;
  // The thing's name follows the space, and its kind precedes it: `添加一个标签 test`.
  const kind =
    /^(?:请|帮我|给我)*(?:添加|增加|新增|新建|创建|加|删除|删掉|移除|去掉)(?:一?[个条项件])?(?:新的?)?\p{Script=Han}{1,6}[\s:：]+(\S.*)$/u;
  return (english.exec(text) ?? chinese.exec(text) ?? kind.exec(text))?.[1]?.trim();
}

/** Returns the request without the words of the tool's name: `say hello to Ann` → `Ann`. */
function leftover(request: string, name: string): string {
  const own = new Set(splitName(name));
  const colon = /[:：]\s*(.+)$/.exec(request);
  if (colon) return colon[1]!.trim();
  return request
    .replaceAll(name, ' ')
    .split(/\s+/)
    .filter(
      (word) =>
        !own.has(word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')) &&
        !/^(?:please|call|use|run|the|a|an|to|for|with|in|of|my|me|tool|调用|使用|运行)$/i.test(word),
    )
    .join(' ')
    .replace(/[。.!！?？]+$/, '')
    .trim();
}

function escape(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}
