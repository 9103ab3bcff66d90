/** @returns the file without the parts that no chart of ours uses, or undefined where it has none of them */
export declare function trimmedXstate(file: string, code: string): string | undefined;
