/** The little of the reference parser that the tests use. */
declare module 'commonmark' {
  export interface Node {
    readonly type: string;
    readonly literal: string | null;
    readonly parent: Node | null;
    walker(): { next(): { entering: boolean; node: Node } | null };
  }
  export class Parser {
    parse(markdown: string): Node;
  }
}
