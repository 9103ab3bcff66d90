import type { WebKit } from './find.mjs';
export function startWebKitDriver(at: WebKit): Promise<{ port: number; capabilities: Record<string, unknown>; close: () => void }>;
export function freePort(): Promise<number>;
