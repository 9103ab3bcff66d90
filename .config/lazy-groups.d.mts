/** The modules of each file, by their paths in `src/`. */
export declare const lazyGroups: Readonly<Record<string, readonly string[]>>;
export const ofCalls: readonly string[];
