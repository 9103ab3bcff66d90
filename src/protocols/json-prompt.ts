/** Helpers for the prompts of the protocols whose calls are JSON. */
import { neutralise } from './neutralize.js';
import type { RulesOptions, ToolExecutionResult } from './protocol.js';
import { inLanguage } from './render-tool-docs.js';

/** Returns JSON on one line with a blank after commas and colons, as models write it. */
export function spacedJson(value: unknown): string {
  // All line breaks come from the layout of `stringify`: those inside strings are escaped.
  return JSON.stringify(value, null, 1)
    .replace(/([{[])\n\s*/g, '$1')
    .replace(/\n\s*(?=[}\]])/g, '')
    .replace(/\n\s*/g, ' ');
}

/** Returns the call object that these protocols share. */
export function callJson(name: string, values: Record<string, unknown>): string {
  return spacedJson({ name, arguments: values });
}

const zh = {
  name: '"name" 必须与某个可用工具的名称完全一致',
  arguments: '"arguments" 必须是符合该工具参数的合法 JSON',
};

const en: typeof zh = {
  name: '"name" must be exactly one of the available tools',
  arguments: '"arguments" must be valid JSON matching the tool\'s parameters',
};

export function jsonWordsFor({ lang }: Pick<RulesOptions, 'lang'>): typeof zh {
  return inLanguage(lang, zh, en);
}

/**
 * Writes the result envelope of the `json-tool-calls` protocol, one line for each result. Texts are neutralized before encoding, because
 * neutralizing JSON would break it.
 */
export function formatToolResults(results: ToolExecutionResult[]): string {
  return results
    .map(({ requestId, result }) => JSON.stringify({ tool_call_result: { toolCallId: neutralise(requestId), result: neutralise(result) } }))
    .join('\n');
}
