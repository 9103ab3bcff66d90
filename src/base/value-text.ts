/** Returns a value as a card shows it: strings as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  if (typeof value !== 'string') return jsonText(value);
  // A string that reads like another kind of value keeps its quotes.
  return value === '' || /^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(value) ? `"${value}"` : value;
}

export function jsonText(value: unknown): string {
  try {
    return (JSON.stringify(value, null, 2) as string | undefined) ?? String(value);
  } catch {
    return String(value); // circular, or a BigInt
  }
}
