/** Tells whether a tool is still the one that somebody was asked about. */
import { canonicalJson, sha256 } from './digest.js';
import { parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';
import { hostOf } from './tool-source.js';

const known = new WeakMap<ToolDefinition, Promise<string>>();

/**
 * SHA-256 (hex) of what was promised about a tool: name, description, JSON Schema, risk and whose it is. What it runs and how it is labelled does not
 * count, so a page that registers the same tool again, after a reload too, finds its grants again.
 * Rejects with a TypeError for a schema that cannot be described (none of a registered tool).
 */
export function fingerprintOf(tool: ToolDefinition): Promise<string> {
  let fingerprint = known.get(tool);
  if (!fingerprint) known.set(tool, (fingerprint = work(tool)));
  return fingerprint;
}

async function work(tool: ToolDefinition): Promise<string> {
  const { name, description, risk } = tool;
  const host = hostOf(tool);
  return sha256(canonicalJson({ name, description, parameters: parametersOf(tool), risk, ...(host && { host }) }));
}
