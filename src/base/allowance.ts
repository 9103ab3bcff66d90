/**
 * Limits how much is read and written of foreign schemas. References can multiply without end, so all tools of one prompt, and all
 * operations of one OpenAPI document, share one allowance. Each tool has a limit of its own, so that one tool cannot use up the shared
 * allowance.
 */

const NODES = 25_000;
const CHARACTERS = 2_000_000;
const TOOL_NODES = 2_000;
const TOOL_CHARACTERS = 100_000;

export interface Allowance {
  /** The nodes of schemas that may still be visited, and the UTF-16 units that may still be written. */
  nodes: number;
  characters: number;
  readonly whole?: Allowance;
}

export const createAllowance = (nodes = NODES): Allowance => ({ nodes, characters: CHARACTERS });

export const allowanceOfTool = (whole = createAllowance(), nodes = TOOL_NODES): Allowance => ({
  nodes,
  characters: TOOL_CHARACTERS,
  whole,
});

/**
 * Returns the maximum number of nodes to visit, in proportion to the schema's size: with references, a small schema can have as many nodes
 * as a large one.
 */
export const nodesFor = (schema: unknown, most = TOOL_NODES): number => Math.min(most, 200 + sizeOf(schema) / 4);

export const isSpent = (left: Allowance): boolean => left.nodes < 0 || left.characters < 0 || (left.whole ? isSpent(left.whole) : false);

/** Subtracts from the allowance and from the shared one; false if there was not enough left. */
export function spend(left: Allowance, nodes: number, characters = 0): boolean {
  left.nodes -= nodes;
  left.characters -= characters;
  return (!left.whole || spend(left.whole, nodes, characters)) && left.nodes >= 0 && left.characters >= 0;
}

/** Returns the approximate length of a value as JSON, in UTF-16 units. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  try {
    return JSON.stringify(value).length;
  } catch {
    return Infinity; // too deep for JSON.stringify
  }
}
