/** A server asks the user this in the middle of a call. */
export interface McpQuestion {
  /** Name that the server gives itself. Anyone can claim it. */
  server: string;
  /** Host of the server's address. */
  host: string;
  mode: 'form' | 'url';
  message: string;
  /**
   * `form`: an object of plain fields, as JSON Schema. Choices are `enum`, or `oneOf` with a `const` and a `title` each; several of them are an
   * array whose `items` have `enum` or `anyOf`.
   */
  schema: Readonly<Record<string, unknown>>;
  /** `url`: the page that it wants to be opened; http or https. */
  url?: string;
}

export interface McpAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}
