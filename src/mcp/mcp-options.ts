/** The options with which a page connects a server. */
import type { Logger } from '../base/log.js';
import type { Risk } from '../model/calls.js';
import type { SignInOptions } from './mcp-access.js';
import type { McpAnswer, McpQuestion } from './mcp-question.js';

/** A tool as `filter` and `risk` get it. */
export interface McpTool {
  name: string;
  /** What the server claims; claims, not facts. */
  annotations: Readonly<Record<string, unknown>>;
}

export interface McpOptions extends SignInOptions {
  /**
   * The server is yours, or you vouch for it: its claim that a tool only reads counts, so that such tools run without asking, and what it says
   * of its tools makes no other tool ask. Default: every tool asks, and so does each change by another tool while the model is told of these.
   */
  trusted?: boolean;
  /** Tool names, or a function. Default: all. */
  filter?: readonly string[] | ((tool: McpTool) => boolean);
  /** By tool name, or a function; before what the server claims. */
  risk?: Readonly<Record<string, Risk>> | ((tool: McpTool) => Risk | undefined);
  /** Asked for every request. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Put before the names of its tools. Default: only where a name is taken, the server's name. */
  prefix?: string;
  /** Asks a person what the server wants to know. Default: a dialog; where there is no page, servers are told that nobody can be asked. */
  elicit?: (question: McpQuestion, signal?: AbortSignal) => Promise<McpAnswer>;
  /** Milliseconds that a call may take without reporting progress. Default: `tool-timeout`. With steady progress it may take up to an hour. */
  timeout?: number;
  /** `false`: what the server has to read is not offered. */
  resources?: boolean;
  /** Where your site serves `tool-chat-sandbox.html`: pages of the server are shown there. Default: `sandbox-url` of the element. */
  sandboxUrl?: string | (() => unknown);
  /** Default: the page's. */
  fetch?: typeof globalThis.fetch;
  /** Language of what its tools say to people. Default: the page's. */
  lang?: string;
  /** Default: the console. */
  logger?: Logger;
}
