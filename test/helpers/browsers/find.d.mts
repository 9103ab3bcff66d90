export type Engine = 'chromium' | 'firefox' | 'webkit';
export interface WebKit {
  driver: string;
  browser: string;
  xvfb?: string | undefined;
}
export const chromiumFlags: string[];
export const find: { chromium(): Promise<string | undefined>; firefox(): string | undefined; webkit(): WebKit | undefined };
export function ensureChromium(): Promise<string>;
export function chooseEngines(named?: string): Promise<{
  run: { engine: Engine; at: string | WebKit }[];
  missing: { engine: Engine; required: boolean }[];
}>;
