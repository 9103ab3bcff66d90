/** A source file of ours as a plugin returns it, without what a browser does not read of its markup and styles. `id` is its path. */
export function stripped(code: string, id: string): { code: string; moduleSideEffects?: true };
