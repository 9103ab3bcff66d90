/** Tabs, conditions and calls for the storage tests. */
import type { PublishedResult } from '../../src/model/calls.js';
import type { Tab } from './tab.js';

export interface OpenTab extends Tab {
  /** The page is gone, without a word. */
  kill(): void;
}

/** A page of its own in a frame. */
export async function openTab(): Promise<OpenTab> {
  const frame = document.createElement('iframe');
  frame.src = new URL('./tab.html', import.meta.url).href;
  document.body.append(frame);
  const tab = await until(() => (frame.contentWindow as unknown as { tab?: Tab } | null)?.tab);
  return { ...tab, kill: () => frame.remove() };
}

/** The first value that is something; looks again after every task. Mocha's own limit ends it. */
export async function until<T>(look: () => T | undefined | false | null): Promise<T> {
  for (;;) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

let counter = 0;
/** Never used before, in any run. */
export const fresh = (kind: string) => `${kind}-${String(Date.now())}-${String((counter += 1))}-${Math.random().toString(36).slice(2)}`;

export function resultOf(requestId: string, message = 'done'): PublishedResult {
  return { requestId, toolName: 'pay', status: 'success', success: true, message, result: message, durationMs: 1 };
}

export const reasonOf = (error: unknown) => (error as { reason?: string }).reason;

/** What a promise was rejected with; fails if it was not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It was expected to be rejected.');
}

/** Lets a method throw until the returned function is called. */
export const breaking = <T extends object>(owner: T, name: keyof T, error: string): (() => void) =>
  replace(owner, name, (() => () => {
    throw new DOMException('no', error);
  }) as never);

/** Replaces one method until the returned function is called. */
export function replace<T extends object, K extends keyof T>(owner: T, name: K, make: (original: T[K]) => T[K]): () => void {
  const original = owner[name];
  owner[name] = make(original);
  return () => {
    owner[name] = original;
  };
}
