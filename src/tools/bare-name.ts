/** Normalizes the spelling of a tool's name: `webSearch`, `web_search` and `Web-Search` are the same tool. */
export const bareName = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '');
