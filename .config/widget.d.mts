export function isInstalled(): boolean;
export function isWidgetOutdated(): boolean;
export function buildWidget(): Promise<void>;
export function isOlder(file: string, sources: readonly string[]): boolean;
