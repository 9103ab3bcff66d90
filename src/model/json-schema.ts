/** JSON Schema (draft 2020-12) as plain data. */
import { own } from '../base/objects.js';

export interface JsonSchema {
  [keyword: string]: unknown;
}

/** Resolves a reference such as `#/$defs/task` within the same document. Returns undefined for references to other documents. */
export function followReference(reference: string, root: JsonSchema): unknown {
  const [document, ...steps] = decoded(reference).split('/');
  if (document !== '#') return undefined;
  return steps.reduce<unknown>((node, step) => own(node, step.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}

function decoded(reference: string): string {
  if (!reference.includes('%')) return reference;
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
