export function citesOutside(comment: string): string | undefined;
