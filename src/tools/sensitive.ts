/** Keeps the values a tool calls sensitive out of events, logs and exports. */
export const HIDDEN = '[hidden]';

/** Returns the arguments without sensitive values. `true` hides every value, a list those parameters. */
export function publicArguments(
  args: Readonly<Record<string, unknown>>,
  sensitive: boolean | readonly string[] = false,
): Record<string, unknown> {
  if (!sensitive) return args;
  const hidden = (name: string) => sensitive === true || sensitive.includes(name);
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, hidden(name) ? HIDDEN : value]));
}
