/** Finds the tool a request means among tools the scripted model knows nothing about, by the words it shares with name and description. */
import type { PlannedCall, TaughtTool } from './notations.js';

/** The call, with every argument that the request gives; a required one that is missing is left for the tool to miss. */
export function planAnyTool(request: string, tools: Iterable<TaughtTool>, known: ReadonlySet<string>): PlannedCall | undefined {
  let best: { tool: TaughtTool; score: number } | undefined;
  for (const tool of tools) {
    if (known.has(tool.name)) continue;
    const score = likeness(request, tool);
    if (score > (best?.score ?? 0)) best = { tool, score };
  }
  return best && { name: best.tool.name, arguments: readArguments(request, best.tool) };
}

function likeness(request: string, { name, description }: TaughtTool): number {
  const text = request.toLowerCase();
  if (text.includes(name.toLowerCase())) return 10;
  const words = splitName(name);
  const shared = words.filter((word) => hasWord(text, word)).length;
  if (shared === words.length) return 5 + shared;
  // Chinese has no blanks: two pairs of neighbouring characters in common are a hint strong enough for a demo.
  const pairs = new Set([...description.matchAll(/(?=(\p{Script=Han}{2}))/gu)].map(([, pair]) => pair!));
  const common = [...pairs].filter((pair) => text.includes(pair)).length;
  if (common >= 2) return common;
  const described = description.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  const told = new Set(described.filter((word) => hasWord(text, word.replace(/s$/, ''))));
  return told.size >= 2 ? told.size : 0;
}

function splitName(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]+/)
    .filter(Boolean);
}

/** Lets `order` stand for `orders` and the other way round. */
function hasWord(text: string, word: string): boolean {
  const stem = word.replace(/s$/, '');
  return (text.match(/[a-z0-9]+/g) ?? []).some((candidate) => candidate === word || candidate.replace(/s$/, '') === stem);
}

function readArguments(request: string, { name, parameters }: TaughtTool): Record<string, string> {
  const values: Record<string, string> = {};
  const quoted = [...request.matchAll(/[「“"'‘《]([^」”"'’》]{1,500})[」”"'’》]/g)].map(([, value]) => value!);
  const numbers = [...(request.match(/-?\d+(?:\.\d+)?/g) ?? [])];
  const required = parameters.filter((parameter) => parameter.required);
  for (const parameter of parameters) {
    const pair = new RegExp(`(?:^|[\\s,，;；(（])${escape(parameter.name)}\\s*(?:[:：=]|是|为)\\s*("[^"]*"|[^\\s,，;；)）]+)`, 'i').exec(
      request,
    );
    if (pair) values[parameter.name] = pair[1]!.replace(/^"|"$/g, '');
  }
  for (const parameter of required) {
    if (Object.hasOwn(values, parameter.name)) continue;
    const numeric = /count|number|amount|quantity|price|limit|size|age|year|数/i.test(parameter.name);
    const value = (numeric ? numbers.shift() : quoted.shift()) ?? (required.length === 1 ? leftover(request, name) : undefined);
    if (value) values[parameter.name] = value;
  }
  return values;
}

/** What a request says besides the tool's own name: `say hello to Ann` → `Ann`. */
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
