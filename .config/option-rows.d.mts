export function optionRows(source?: string): { name: string; attribute?: string; type: string; default?: string; description: string }[];
