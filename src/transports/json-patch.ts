/** JSON Patch (RFC 6902) without mutation. */
import { isObject } from '../base/objects.js';
import { arrayOf, field } from './read-fields.js';

/** Returns the value after all operations, or the unchanged value if one of them fails, as the standard requires. */
export function patched(before: unknown, operations: unknown): unknown {
  try {
    return arrayOf(operations).reduce((value, operation) => applied(value, operation), before);
  } catch {
    return before;
  }
}

function applied(value: unknown, operation: unknown): unknown {
  const [op, path, from] = [field(operation, 'op'), stepsOf(field(operation, 'path')), field(operation, 'from')];
  const given = field(operation, 'value');
  switch (op) {
    case 'add':
      return changed(value, path, given, 'add');
    case 'replace':
      read(value, path);
      return changed(value, path, given, 'replace');
    case 'remove':
      return changed(value, path, undefined, 'remove');
    case 'copy':
      return changed(value, path, read(value, stepsOf(from)), 'add');
    case 'move':
      return changed(changed(value, stepsOf(from), undefined, 'remove'), path, read(value, stepsOf(from)), 'add');
    case 'test':
      if (JSON.stringify(read(value, path)) !== JSON.stringify(given)) throw new TypeError('differs');
      return value;
    default:
      throw new TypeError('unknown operation');
  }
}

function stepsOf(path: unknown): string[] {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) throw new TypeError('no path');
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at, step) => {
    if (!(isObject(at) || Array.isArray(at)) || !Object.hasOwn(at, step)) throw new TypeError('no such place');
    return (at as Record<string, unknown>)[step];
  }, value);
}

function changed(value: unknown, path: readonly string[], given: unknown, how: 'add' | 'replace' | 'remove'): unknown {
  const [step, ...more] = path;
  if (step === undefined) return how === 'remove' ? null : given;
  if (Array.isArray(value)) {
    const at = step === '-' ? value.length : /^(?:0|[1-9]\d{0,8})$/.test(step) ? Number(step) : -1;
    const isThere = at >= 0 && at < value.length + (how === 'add' && more.length === 0 ? 1 : 0);
    if (!isThere) throw new TypeError('no such place');
    if (more.length > 0) return value.with(at, changed(value[at], more, given, how));
    return how === 'remove' ? value.toSpliced(at, 1) : value.toSpliced(at, how === 'add' ? 0 : 1, given);
  }
  if (!isObject(value) || (!Object.hasOwn(value, step) && (more.length > 0 || how !== 'add'))) throw new TypeError('no such place');
  if (how === 'remove' && more.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step));
  // `fromEntries` makes every key an own property, even `__proto__`.
  return Object.fromEntries([
    ...Object.entries(value).filter(([key]) => key !== step),
    [step, changed(more.length > 0 ? value[step] : undefined, more, given, how)],
  ]);
}
