/**
 * Copies any value, however hostile, into bounded plain data: results of tools, thrown values, log data. Never throws, never loops, and
 * calls nothing of a foreign object except its getters and `toJSON`, each once.
 */
import { cutText } from './cut-text.js';
import { readField } from './objects.js';

export interface PlainOptions {
  /** The maximum depth of nesting. Default 64. */
  depth?: number;
  /** The maximum number of values on all levels. Default 20,000. */
  nodes?: number;
  /** The maximum length of all strings together, in UTF-16 units. Default 1,048,576. */
  chars?: number;
  /** Maps every string, keys included. */
  text?(text: string): string;
  /** Called once if values were left out; then no placeholders are inserted for them. */
  onCut?(): void;
  /** Returns the replacement for the value of a key, or undefined to copy the value. */
  replace?(key: string, value: unknown): unknown;
}

const UNREADABLE = '[unreadable]';

/** Returns JSON data (null, booleans, finite numbers, strings, arrays, plain objects), or undefined for undefined. */
export function toPlain(value: unknown, options: PlainOptions = {}): unknown {
  const { depth: maxDepth = 64, nodes: maxNodes = 20_000, chars: maxChars = 1_048_576, text: mapText, replace, onCut } = options;
  const ancestors = new Set<object>();
  let nodes = 0;
  let chars = 0;
  let cuts = 0;

  function cut(): void {
    if (cuts === 0) onCut?.();
    cuts += 1;
  }

  function string(text: string): string {
    const mapped = mapText ? mapText(text) : text;
    const shortened = cutText(mapped, Math.max(0, maxChars - chars));
    chars += shortened.length;
    return shortened.length === mapped.length ? shortened : `${shortened}… (+${String(mapped.length - shortened.length)})`;
  }

  function copy(input: unknown, depth: number): unknown {
    nodes += 1;
    if (typeof input === 'object' && input !== null) return guarded(input, depth);
    switch (typeof input) {
      case 'undefined':
        return undefined;
      case 'string':
        return string(input);
      case 'number':
        // Adding 0 turns -0 into 0, because JSON writes both the same way.
        return Number.isFinite(input) ? input + 0 : String(input);
      case 'boolean':
        return input;
      case 'bigint':
      case 'symbol':
        return string(String(input));
      case 'function':
        return '[Function]';
      default:
        return null;
    }
  }

  function guarded(input: object, depth: number): unknown {
    if (ancestors.has(input)) return '[circular]';
    if (depth >= maxDepth) return '[too deep]';
    ancestors.add(input);
    try {
      return object(input, depth);
    } catch {
      return UNREADABLE;
    } finally {
      ancestors.delete(input);
    }
  }

  function object(input: object, depth: number): unknown {
    if (Array.isArray(input)) return list(input, input.length, depth);
    if (ArrayBuffer.isView(input)) return `[${tagOf(input)} ${String(input.byteLength)}]`;
    const toJSON: unknown = (input as { toJSON?: unknown }).toJSON;
    if (typeof toJSON === 'function') return copy(toJSON.call(input), depth + 1);
    const tag = tagOf(input);
    if (tag === 'Map' || tag === 'Set') return list(input as Iterable<unknown>, (input as Set<unknown>).size, depth);
    if (tag === 'Error' || tag === 'DOMException') {
      const { name, message } = input as Error;
      return { name: copy(name, maxDepth), message: copy(message, maxDepth) };
    }
    // Platform objects (Response, Blob, Window, HTMLElement …) are named, not copied.
    if (tag !== 'Object') return `[${string(tag)}]`;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(input)) {
      if (nodes >= maxNodes) {
        cut();
        if (!onCut) define(result, '…', '[more]');
        break;
      }
      let field: unknown;
      try {
        field = (input as Record<string, unknown>)[key];
        const instead = replace?.(key, field);
        field = instead === undefined ? copy(field, depth + 1) : instead;
      } catch {
        field = UNREADABLE;
      }
      if (field !== undefined) define(result, string(key), field);
    }
    return result;
  }

  function list(input: Iterable<unknown>, length: number, depth: number): unknown[] {
    const result: unknown[] = [];
    for (const item of input) {
      if (nodes >= maxNodes) {
        cut();
        if (!onCut) result.push(`… (+${String(length - result.length)})`);
        break;
      }
      const before = cuts;
      const kept = copy(item, depth + 1) ?? null;
      // An incomplete row is dropped.
      if (onCut && cuts > before) break;
      result.push(kept);
    }
    return result;
  }

  return copy(value, 0);
}

/** Returns the message of a thrown value; empty if it has none. */
export function messageOf(thrown: unknown): string {
  const message = readField(thrown, 'message');
  if (typeof message === 'string') return message;
  if (typeof thrown === 'object' || typeof thrown === 'function' || thrown === undefined) {
    const plain = toPlain(thrown, { depth: 4, nodes: 50, chars: 2000 });
    const text = typeof plain === 'string' ? plain : plain === null || plain === undefined ? '' : JSON.stringify(plain);
    return text === '{}' || text === '[]' || text === UNREADABLE ? '' : text;
  }
  return String(thrown);
}

/** Sets an own property, even if its name is `__proto__`. */
export function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
