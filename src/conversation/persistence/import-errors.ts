/**
 * Describes for its author what is wrong with a file to import: which field, what it is, and what was expected. The description never
 * contains a value.
 */
import { ValidationError } from '../../base/checks.js';
import { cutText } from '../../base/cut-text.js';
import { own } from '../../base/objects.js';

/** Returns the continuation of a sentence that begins with “Here …”. */
export function importErrorOf(file: unknown, error: unknown): string {
  if (!(error instanceof ValidationError)) return 'something cannot be read';
  const path = error.path.toReversed();
  if (path.length === 0 && file !== null && typeof file === 'object') return `something is missing or wrong; expected ${error.message}`;
  const found = path.reduce<unknown>((value, step) => own(value, step), file);
  const name = path.length === 0 ? 'the file' : `\`${nameOf(path)}\``;
  return `${name} ${found === undefined ? 'is missing' : `is ${kindOf(found)}`}; expected ${error.message}`;
}

/** Formats a path as in code: `calls[0].call.label`. */
const nameOf = (path: readonly (string | number)[]): string =>
  path
    .map((step, at) => {
      if (typeof step === 'number') return `[${String(step)}]`;
      if (/^[A-Za-z_]\w*$/.test(step)) return at === 0 ? step : `.${step}`;
      return `[${JSON.stringify(cutText(step, 100))}]`;
    })
    .join('');

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${String(value.length)}`;
  const kind = typeof value;
  return kind === 'string' ? `a text of ${String((value as string).length)} characters` : kind === 'object' ? 'an object' : `a ${kind}`;
}
