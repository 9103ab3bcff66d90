/** Computes the digest of a call: SHA-256 of the canonical JSON of its tool and arguments. */
import { createId } from '../base/ids.js';
import { load } from '../base/load.js';
import type { ToolDefinition } from './tool.js';

/** Returns JSON with sorted keys and no blanks (the order and the numbers of RFC 8785). Takes JSON data only. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.keys(value)
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`);
  return `{${fields.join(',')}}`;
}

/**
 * Returns 64 hex digits. Equal calls have the same digest, regardless of the order of their keys. For a tool with sensitive arguments this
 * holds on one page only: digests are saved, and a short value could be guessed from one without a key.
 */
export function digestCall(toolName: string, args: unknown, { sensitive }: Pick<ToolDefinition, 'sensitive'> = {}): Promise<string> {
  return sha256(canonicalJson({ args, toolName, key: sensitive ? (pageKey ||= createId('key')) : undefined }));
}

/** A random key, which is never saved. */
let pageKey = '';

export async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  // `subtle` is missing on pages without HTTPS.
  const subtle = (globalThis.crypto as Crypto | undefined)?.subtle as SubtleCrypto | undefined;
  return hex(subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : (await load(() => import('./sha256.js'))).sha256Bytes(bytes));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
