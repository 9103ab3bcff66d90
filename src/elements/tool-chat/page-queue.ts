/** The queue `window.toolChat`, through which a page reaches every `<tool-chat>`, whether the script or the element comes first. */
/** An array until the script has loaded; from then on what is pushed runs at once. */
export interface ToolChatQueue<Chat = never> {
  push(...functions: ((chat: Chat) => void)[]): number;
}

type PageFunction = (chat: HTMLElement) => void;
const pageFunctions: PageFunction[] = [];

/** The elements in the page. */
export const connected = new Set<HTMLElement>();

/** Number of functions that an element has run. */
export const ranCounts = new WeakMap<HTMLElement, number>();

/** Runs each function that the page left in `window.toolChat` once for this element. */
export function runPageFunctions(chat: HTMLElement): void {
  connected.add(chat);
  const from = ranCounts.get(chat) ?? 0;
  // Set before the functions run, because one of them may move the element and so cause another call.
  ranCounts.set(chat, pageFunctions.length);
  for (const run of pageFunctions.slice(from)) {
    try {
      run(chat);
    } catch (error) {
      // Report errors of the page without stopping the other functions.
      reportError(error);
    }
  }
}

/** Takes over `window.toolChat`. Functions pushed before and after this run for every element, present and future. */
export function takeOverQueue(page: { toolChat?: unknown }): void {
  const before = page.toolChat;
  if (Array.isArray(before)) pageFunctions.push(...(before as PageFunction[]));
  page.toolChat = {
    push(...functions: PageFunction[]): number {
      pageFunctions.push(...functions);
      for (const chat of connected) runPageFunctions(chat);
      return pageFunctions.length;
    },
  };
}
