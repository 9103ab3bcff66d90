/** The options for connecting a server. */
import type { Logger } from '../base/log.js';
import type { Risk } from '../model/calls.js';
import type { SignInOptions } from './mcp-access.js';

/** A tool as passed to `filter` and `risk`. */
export interface McpTool {
  name: string;
  /** The server's claims about the tool. They are not verified. */
  annotations: Readonly<Record<string, unknown>>;
}

export interface McpOptions extends SignInOptions {
  /**
   * True if the server is yours or you trust it. Then tools that it declares read-only run without approval, and its descriptions do not
   * count as untrusted content for other tools. Default: every tool needs approval, and so does each change by another tool while the model
   * sees these descriptions.
   */
  trusted?: boolean;
  /** Names of the tools to register, or a function. Default: all. */
  filter?: readonly string[] | ((tool: McpTool) => boolean);
  /** Risks by tool name, or a function. They take precedence over the server's claims. */
  risk?: Readonly<Record<string, Risk>> | ((tool: McpTool) => Risk | undefined);
  /** Headers for every request. A function is called for each one. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Prefix of the tool names. Default: the server's name, and only if a name is taken. */
  prefix?: string;
  /** Asks the user a question of the server. Default: a dialog. Without a page, servers are told that the client cannot ask. */
  elicit?: (question: McpQuestion, signal?: AbortSignal) => Promise<McpAnswer>;
  /**
   * Milliseconds that a call may take without reporting progress. Default: `tool-timeout`. With steady progress it may take up to an hour.
   */
  timeout?: number;
  /** `false`: the server's resources are not offered. */
  resources?: boolean;
  /** URL at which your site serves `tool-chat-sandbox.html`, which shows app pages of the server. Default: `sandbox-url` of the element. */
  sandboxUrl?: string | (() => unknown);
  /** The `fetch` for all requests. Default: the page's. */
  fetch?: typeof globalThis.fetch;
  /** Language of the texts for the user. Default: the page's. */
  lang?: string;
  /** The logger. Default: the console. */
  logger?: Logger;
}

/** A question that a server asks the user during a call. */
export interface McpQuestion {
  /** The name that the server gives itself. It is not verified. */
  server: string;
  /** Host of the server's address. */
  host: string;
  mode: 'form' | 'url';
  message: string;
  /**
   * With `form`: an object of plain fields, as JSON Schema. Choices are `enum`, or `oneOf` with a `const` and a `title` each. A multiple
   * choice is an array whose `items` have `enum` or `anyOf`.
   */
  schema: Readonly<Record<string, unknown>>;
  /** With `url`: the page to open; http or https. */
  url?: string;
}

export interface McpAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}
