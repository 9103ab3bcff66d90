/** The queue `window.toolChat`, by which a page reaches every `<tool-chat>`, whether the script or the element comes first. */
/** An array until the script has loaded; from then on what is pushed runs at once. */
export interface ToolChatQueue<Chat = never> {
  push(...functions: ((chat: Chat) => void)[]): number;
}

type PageFunction = (chat: HTMLElement) => void;
const pageFunctions: PageFunction[] = [];

/** Elements that stand in the page. */
export const connected = new Set<HTMLElement>();

/** How many of the functions an element has run. */
export const ran = new WeakMap<HTMLElement, number>();

/** Runs each function that the page left in `window.toolChat` once for this element. */
export function runPageFunctions(chat: HTMLElement): void {
  connected.add(chat);
  const from = ran.get(chat) ?? 0;
  // Noted before they run: one of them may move the element, and so come back here.
  ran.set(chat, pageFunctions.length);
  for (const run of pageFunctions.slice(from)) {
    try {
      run(chat);
    } catch (error) {
      // A mistake of the page is the page's to see, and stops nothing here.
      reportError(error);
    }
  }
}

/** Takes over `window.toolChat`: what was pushed before and what will be pushed runs for every element, present and future. */
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
