export const floors: Readonly<Record<string, number>>;
export const conversationRooms: readonly (readonly string[])[];
export const tenants: Readonly<Record<string, readonly string[]>>;
export const upstairs: Readonly<Record<string, string>>;
export function whyNot(src: string, file: string, specifier: string, lazily?: boolean): string | undefined;
