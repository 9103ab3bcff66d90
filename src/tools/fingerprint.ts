/** Fingerprints of tools, which show whether a tool is still the one that the user approved. */
import { canonicalJson, sha256 } from './digest.js';
import { parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';
import { hostOf } from './tool-source.js';

const known = new WeakMap<ToolDefinition, Promise<string>>();

/**
 * Returns the SHA-256 (hex) of a tool's contract: name, description, JSON Schema, risk and host. Its code and label do not count, so a page
 * that registers the same tool again, even after a reload, keeps its grants.
 *
 * Rejects with a TypeError for a schema that cannot be described; a registered tool has none.
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
