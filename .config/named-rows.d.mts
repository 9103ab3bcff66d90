export function namedRows(text: string): Set<string>;
