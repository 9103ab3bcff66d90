/** JSON Schema (draft 2020-12) as plain data. */
import { own } from '../base/objects.js';

export interface JsonSchema {
  [keyword: string]: unknown;
}

/** Where `#/$defs/task` leads within the same document; anything else is not followed. */
export function followReference(reference: string, root: JsonSchema): unknown {
  const [document, ...steps] = reference.split('/');
  if (document !== '#') return undefined;
  return steps.reduce<unknown>((node, step) => own(node, step.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}
