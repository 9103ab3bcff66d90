/** Name of a file to the modules in it, by their paths in `src/`. */
export declare const seldom: Readonly<Record<string, readonly string[]>>;
export const ofCalls: readonly string[];
