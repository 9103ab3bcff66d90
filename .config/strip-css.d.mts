/** A source file of ours, without what a browser does not read of its markup and styles. `id` is its path. */
export function stripCss(code: string, id: string): string;
