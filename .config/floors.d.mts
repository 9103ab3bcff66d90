export const floors: Readonly<Record<string, number>>;
export const tenants: Readonly<Record<string, readonly string[]>>;
export function whyNot(src: string, file: string, specifier: string): string | undefined;
