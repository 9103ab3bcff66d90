/**
 * The options that few pages set. They work like all others, but their table is loaded with the engine: the launcher, which every page
 * loads, has no room for it. Until then a property that is set waits on the element as a plain one.
 */
import { defaultOfRow, propertyOf, readRow, rowsOf } from './tool-chat/options.js';

const rows = rowsOf(
  'accept=active|any parse-mode=stream|complete on-broken-call=repair|report|skip result-role=user-envelope|tool ' +
    'prompt-injection=client|relay|off',
);
const objects = ['beforeSend', 'protocolByModel', 'promptOptions', 'promptTemplates'];

/** @returns the effective value by attribute, or by property where there is no attribute: set on the element > `config` > default */
export function moreOptions(element: HTMLElement, ofConfig: (name: string) => unknown, changed: () => void): (name: string) => unknown {
  const values = new Map<string, unknown>();
  const set = (name: string, value: unknown) => {
    const row = rows.get(name);
    const read = value === null && row !== undefined ? undefined : readRow(row, value);
    if (read === undefined && value != null)
      console.warn(`[tool-chat] ${name}="${value as string}" does not fit: ${String(defaultOfRow(row))}`);
    values.set(name, read);
  };
  const attributes = new MutationObserver(note);
  /** Attributes change without a call; whoever reads a value has noted the changes first, so that the last one set counts. */
  function note(records: MutationRecord[]) {
    for (const { attributeName } of records) if (attributeName) set(attributeName, element.getAttribute(attributeName));
    if (records.length > 0) changed();
  }
  const valueOf = (name: string) => {
    note(attributes.takeRecords());
    const row = rows.get(name);
    return values.get(name) ?? readRow(row, ofConfig(name)) ?? defaultOfRow(row);
  };

  for (const name of [...rows.keys(), ...objects]) {
    const property = propertyOf(name);
    const waiting: unknown = Object.hasOwn(element, property) ? Reflect.get(element, property) : undefined;
    if (element.hasAttribute(name) && rows.has(name)) set(name, element.getAttribute(name));
    if (waiting !== undefined) set(name, waiting);
    Object.defineProperty(element, property, {
      configurable: true,
      enumerable: true,
      get: () => valueOf(name),
      set(value: unknown) {
        note(attributes.takeRecords());
        set(name, value);
        changed();
      },
    });
  }
  attributes.observe(element, { attributes: true, attributeFilter: [...rows.keys()] });
  return valueOf;
}
