/** JSON Patch (RFC 6902) without changes to the given values. */
import { isObject } from '../base/objects.js';
import { arrayOf, field } from './read-fields.js';

/**
 * Limits what all patches of one run may copy, move and compare, in characters. Without it, two operations double a state, and a few dozen
 * of them fill the memory.
 */
export interface PatchLimit {
  left: number;
}

export const createPatchLimit = (): PatchLimit => ({ left: 1_000_000 });

/** Number of entries whose copying or moving counts as one character. */
const ENTRIES = 100;

function spend(limit: PatchLimit, amount: number): void {
  limit.left -= amount;
  if (limit.left < 0) throw new RangeError('too much');
}

/**
 * Returns the value after all operations, or the unchanged value if one of them fails, as the standard requires, or exceeds the limit.
 *
 * @param onSkipped called with the reason if it is unchanged
 */
export function applyPatch(before: unknown, operations: unknown, limit: PatchLimit, onSkipped?: (error: unknown) => void): unknown {
  const patch = new Patch(limit);
  try {
    return arrayOf(operations).reduce((value, operation) => patch.apply(value, operation), before);
  } catch (error) {
    onSkipped?.(error);
    return before;
  }
}

class Patch {
  /** The objects and lists that this patch has made. Only these may change, and each is copied once, however many operations there are. */
  readonly #made = new WeakSet<object>();
  readonly #limit: PatchLimit;

  constructor(limit: PatchLimit) {
    this.#limit = limit;
  }

  apply(value: unknown, operation: unknown): unknown {
    const [op, path, from] = [field(operation, 'op'), stepsOf(field(operation, 'path')), field(operation, 'from')];
    const given = field(operation, 'value');
    switch (op) {
      case 'add':
        return this.#changed(value, path, given, 'add');
      case 'replace':
        read(value, path);
        return this.#changed(value, path, given, 'replace');
      case 'remove':
        return this.#changed(value, path, undefined, 'remove');
      case 'copy': {
        const text = this.#written(read(value, stepsOf(from)));
        return this.#changed(value, path, JSON.parse(text), 'add');
      }
      case 'move': {
        const moved = read(value, stepsOf(from));
        return this.#changed(this.#changed(value, stepsOf(from), undefined, 'remove'), path, moved, 'add');
      }
      case 'test':
        if (this.#written(read(value, path)) !== JSON.stringify(given)) throw new TypeError('differs');
        return value;
      default:
        throw new TypeError('unknown operation');
    }
  }

  #written(value: unknown): string {
    const text = JSON.stringify(value);
    spend(this.#limit, text.length);
    return text;
  }

  #changed(value: unknown, path: readonly string[], given: unknown, how: 'add' | 'replace' | 'remove', from = 0): unknown {
    const step = path[from];
    if (step === undefined) return how === 'remove' ? null : given;
    const isEnd = from === path.length - 1;
    if (Array.isArray(value)) {
      const at = step === '-' ? value.length : /^(?:0|[1-9]\d{0,8})$/.test(step) ? Number(step) : -1;
      const isThere = at >= 0 && at < value.length + (how === 'add' && isEnd ? 1 : 0);
      if (!isThere) throw new TypeError('no such place');
      const list = this.#own(value, () => [...(value as unknown[])]);
      if (!isEnd) list[at] = this.#changed(list[at], path, given, how, from + 1);
      else if (how === 'replace') list[at] = given;
      else {
        spend(this.#limit, (list.length - at) / ENTRIES);
        list.splice(at, how === 'remove' ? 1 : 0, ...(how === 'remove' ? [] : [given]));
      }
      return list;
    }
    if (!isObject(value) || (!Object.hasOwn(value, step) && (!isEnd || how !== 'add'))) throw new TypeError('no such place');
    const object = this.#own(value, () => ({ ...value }));
    if (isEnd && how === 'remove') delete object[step];
    else {
      const inner = isEnd ? given : this.#changed(object[step], path, given, how, from + 1);
      // An assignment to `__proto__` would set the prototype.
      Object.defineProperty(object, step, { value: inner, writable: true, enumerable: true, configurable: true });
    }
    return object;
  }

  #own<Value extends object>(value: Value, copy: () => Value): Value {
    if (this.#made.has(value)) return value;
    const made = copy();
    spend(this.#limit, Object.keys(made).length / ENTRIES);
    this.#made.add(made);
    return made;
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
