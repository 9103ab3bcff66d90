/** Keeps the values a tool calls sensitive out of events, logs and exports. */
import { define } from '../plain.js';

export const HIDDEN = '[hidden]';

/** Arguments as the world may see them. `true` hides every value, a list those parameters. */
export function publicArguments(
  args: Readonly<Record<string, unknown>>,
  sensitive: boolean | readonly string[] = false,
): Record<string, unknown> {
  if (!sensitive) return args;
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) define(shown, name, sensitive === true || sensitive.includes(name) ? HIDDEN : value);
  return shown;
}
