/** Adapts a `ToolContextDef` to a `ToolProtocol`. Its prompt, parser and results are used unchanged. */
import { isObject, own } from '../../base/objects.js';
import { neutralise } from '../neutralize.js';
import type { ToolDescription, ToolExecutionResult, ToolProtocol } from '../protocol.js';
import { requestsOf } from '../tool-requests.js';
import { onCompletion } from './on-completion.js';

/** A tool as it is described to a `ToolContextDef`. It has no handle to run the tool. */
export interface ToolContextTool {
  name: string;
  desc: string;
  /** Descriptions by parameter name. */
  argsDesc: Record<string, string>;
}

type Fragment = string | ((tools: ToolContextTool[]) => string);

/** A strategy that describes tools to the model, parses calls and formats results. Optional members are not needed here. */
export interface ToolContextDef {
  /** The id of the protocol. Default `tool-context`. */
  id?: string;
  conceptFragment?: Fragment;
  exampleFragment?: Fragment;
  returnExampleFragment?: Fragment;
  availableToolsFragment?: Fragment;
  /** Assembles the prompt. Without it, the fragments are joined in order. */
  spliceSystemPrompt?(baseSystem: string, tools: ToolContextTool[]): string;
  formatToolResult(toolCallId: string, result: unknown): string;
  /** Returns the text that the model receives for a declined call. */
  handleUserRejection?(responseWithTool: string): string;
  parseResponse(content: string): { calls: { toolName: string; args: unknown; callId: string }[]; strippedText: string } | null;
  parseResult?(content: string): unknown;
}

const FRAGMENTS = ['conceptFragment', 'availableToolsFragment', 'exampleFragment', 'returnExampleFragment'] as const;

/** Adapts `given`. The caller has checked that it has `parseResponse`. */
export function fromToolContext(id: string, given: Record<string, unknown>, onError: (error: unknown) => void): ToolProtocol {
  const needs = (name: string) => new TypeError(`The protocol “${id}” needs a method ${name}().`);
  if (typeof given['formatToolResult'] !== 'function') throw needs('formatToolResult');
  if (typeof given['spliceSystemPrompt'] !== 'function' && given['availableToolsFragment'] === undefined) throw needs('spliceSystemPrompt');
  const def = given as unknown as ToolContextDef;

  function generateToolDefinitions(tools: ToolDescription[]): string {
    const list = tools.flatMap(describe);
    const whole = def.spliceSystemPrompt ? [def.spliceSystemPrompt('', list)] : FRAGMENTS.map((name) => fragment(def, name, list));
    return whole
      .filter((text) => typeof text === 'string' && text !== '')
      .join('\n\n')
      .trim();
  }

  function formatResult({ requestId, status, result }: ToolExecutionResult): string {
    const told = status === 'denied' && def.handleUserRejection ? def.handleUserRejection(result) : result;
    return String(def.formatToolResult(requestId, neutralise(String(told))));
  }

  const createParser = onCompletion((text) => {
    const parsed: unknown = def.parseResponse(text);
    const calls = own(parsed, 'calls');
    if (!Array.isArray(calls)) return [text];
    const stripped = own(parsed, 'strippedText');
    return [typeof stripped === 'string' ? stripped : text, ...calls.filter(isObject)];
  }, onError);

  return {
    id,
    generateToolDefinitions,
    formatToolResults: (results) => results.map(formatResult).join('\n\n'),
    parseToolRequests: (finalText) => requestsOf(createParser, finalText),
    createParser,
  };
}

function fragment(def: ToolContextDef, name: (typeof FRAGMENTS)[number], tools: ToolContextTool[]): unknown {
  return typeof def[name] === 'function' ? def[name](tools) : def[name];
}

function describe({ methods }: ToolDescription): ToolContextTool[] {
  return methods.map(({ name, description, parameters }) => {
    const properties = own(parameters, 'properties');
    const described = Object.entries(isObject(properties) ? properties : {}).map(([key, schema]) => {
      const text = own(schema, 'description') ?? own(schema, 'type');
      return [key, typeof text === 'string' ? text : ''] as const;
    });
    return { name, desc: description, argsDesc: Object.fromEntries(described) };
  });
}
