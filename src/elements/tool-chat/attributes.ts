/**
 * The scalar options of `<tool-chat>` but for those in `more-options.ts`: attribute (kebab-case) and property (camelCase).
 *
 * `name=default`. A number is a count, `a|b` a list of the only values that fit with the default first, `!` a flag, all else text.
 * One string, because it is in the launcher, where every byte is loaded by every page.
 */
const table =
  'endpoint= wire=auto stream=on|off protocol=xml-invoke tools=on|off model= system-prompt= max-tokens=2000 max-iterations=5 ' +
  'repeat-limit=3 tool-timeout=30000 request-timeout=60000 heartbeat=30000 ' +
  'layout=inline|floating|sidebar|fullscreen open=! heading= placeholder= theme=auto|light|dark lang= ' +
  'quick-commands= help-url= session-id= log-level=warn|debug|info|error|off';

export type OptionValue = string | number | boolean;

const rows = new Map(table.split(' ').map((row) => row.split('=') as [string, string]));

export const attributes: readonly string[] = [...rows.keys()];

export const propertyOf = (attribute: string): string => attribute.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** `undefined` when the value does not fit. What is not in the table is an object or a function, and taken as it is. */
export function readOption(attribute: string, value: unknown): unknown {
  const row = rows.get(attribute);
  if (row === undefined) return value;
  if (row === '!') return !!value || value === '';
  if (+row) return /^\d+$/.test(String(value)) ? Number(value) : undefined;
  return typeof value === 'string' && (!row.includes('|') || row.split('|').includes(value)) ? value : undefined;
}

export function defaultOf(attribute: string): OptionValue | undefined {
  const row = rows.get(attribute);
  return row === '!' ? false : +(row ?? '') || row?.split('|')[0];
}
