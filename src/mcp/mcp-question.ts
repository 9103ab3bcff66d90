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
