export function ownBuiltIns(folder: string, ending: 'js' | 'ts'): Record<string, [file: string, name: string]>;
