/** Converts a host's protocol, in any of its three accepted shapes, to the `ToolProtocol` that the conversation uses. */
import { isObject } from '../base/objects.js';
import { callsAndText, onCompletion, type ReadReply } from './adapt/on-completion.js';
import { fromToolContext } from './adapt/tool-context.js';
import { TOOL_CONTEXT } from './built-in-protocols.js';
import { neutralise } from './neutralize.js';
import type { ParsedToolRequest, ToolProtocol } from './protocol.js';
import { requestsOf } from './tool-requests.js';

const METHODS = ['generateToolDefinitions', 'parseToolRequests', 'formatToolResults'] as const;
const OPTIONAL = ['rules', 'writeCall', 'createParser'] as const;

/** Ids that select a mode instead of a protocol. */
const RESERVED = ['auto', 'native'];

/**
 * Accepts a `ToolProtocol` with its own parser, a protocol with only the four basic members (its calls are read when the reply is
 * complete), or a `ToolContextDef` (the id is its `id`, or else `tool-context`). Methods keep their `this`.
 *
 * @param onError Receives any error that a host's parsing function throws. The reply is then shown as text, and nothing in it runs.
 * @throws TypeError that names the missing member.
 */
export function asProtocol(given: unknown, onError: (error: unknown) => void = () => undefined): ToolProtocol {
  if (!isObject(given)) throw new TypeError('A protocol is an object: see ToolProtocol, or ToolContextDef.');
  const isToolContext = isFunction(given['parseResponse']) && !isFunction(given['parseToolRequests']);
  const id = readId(given['id'] ?? (isToolContext ? TOOL_CONTEXT : undefined));
  if (isToolContext) return fromToolContext(id, given, onError);

  for (const name of METHODS) if (!isFunction(given[name])) throw new TypeError(`The protocol “${id}” needs a method ${name}().`);
  for (const name of OPTIONAL) {
    if (given[name] !== undefined && !isFunction(given[name])) throw new TypeError(`${name} of the protocol “${id}” is not a function.`);
  }
  const host = given as unknown as ToolProtocol;
  const bound: ToolProtocol = {
    id,
    generateToolDefinitions: host.generateToolDefinitions.bind(host),
    parseToolRequests: host.parseToolRequests.bind(host),
    formatToolResults: host.formatToolResults.bind(host),
    ...(host.rules && { rules: host.rules.bind(host) }),
    ...(host.writeCall && { writeCall: host.writeCall.bind(host) }),
  };
  if (host.createParser) return { ...bound, createParser: host.createParser.bind(host) };

  const read: ReadReply = (text) => callsAndText(text, bound.parseToolRequests(text) as readonly Partial<ParsedToolRequest>[]);
  const createParser = onCompletion(read, onError);
  return {
    ...bound,
    createParser,
    parseToolRequests: (finalText) => requestsOf(createParser, finalText),
    formatToolResults: (results) => bound.formatToolResults(results.map((one) => ({ ...one, result: neutralise(one.result) }))),
  };
}

function readId(id: unknown): string {
  if (typeof id !== 'string' || !/^[^\s\p{C}]{1,64}$/u.test(id))
    throw new TypeError('A protocol needs an id: 1 to 64 characters without blanks.');
  if (RESERVED.includes(id)) throw new TypeError(`A protocol cannot have the id “${id}”.`);
  return id;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
