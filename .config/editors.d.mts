/** File to what it has to hold, of `custom-elements.json` and the docs as they are. */
export declare function editorFiles(): Record<string, string>;
