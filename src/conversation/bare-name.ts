/** What two spellings of a tool's name have in common: `webSearch`, `web_search` and `Web-Search` are one. */
export const bareName = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '');
