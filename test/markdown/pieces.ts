/** The pieces of texts in which `¦` stands between them. */
export const pieces = (...texts: string[]): string[] => texts.flatMap((text) => text.split('¦'));
