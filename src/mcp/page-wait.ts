/** Lets a call wait until the user has visited a page in another tab. */
import { McpError } from './mcp-message.js';

/** Maximum wait, in milliseconds. */
const LONGEST = 600_000;
/** Maximum number of completed page ids to remember. */
const MOST_DONE = 100;

export interface UrlWait {
  /** The server reports that the user has completed this page. */
  done(id: unknown): void;
  /**
   * Settles when the server has reported one of the pages as done, or when the user comes back to this page: then it is time to ask the
   * server again.
   */
  wait(ids: readonly string[], signal?: AbortSignal): Promise<void>;
}

export function createUrlWait(): UrlWait {
  const done = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    done(id) {
      if (typeof id !== 'string') return;
      done.add(id);
      const [oldest] = done;
      if (done.size > MOST_DONE && oldest !== undefined) done.delete(oldest);
      for (const look of [...waiting]) look();
    },
    wait: (ids, signal) =>
      new Promise((resolve, reject) => {
        const [page, window] = [globalThis.document, globalThis.window] as (EventTarget | undefined)[];
        const end = (act: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          page?.removeEventListener('visibilitychange', onVisible);
          window?.removeEventListener('focus', onReturn);
          signal?.removeEventListener('abort', onAbort);
          act();
        };
        const look = () => {
          const found = ids.filter((id) => done.delete(id));
          if (found.length > 0) end(resolve);
        };
        const onReturn = () => end(resolve);
        const onVisible = () => globalThis.document.visibilityState === 'visible' && onReturn();
        const onAbort = () => end(() => reject(signal!.reason as Error));
        const timer = setTimeout(
          () => end(() => reject(new McpError('refused', 'The page that the service needs was not completed.'))),
          LONGEST,
        );
        waiting.add(look);
        page?.addEventListener('visibilitychange', onVisible);
        window?.addEventListener('focus', onReturn);
        signal?.addEventListener('abort', onAbort);
        if (signal?.aborted) onAbort();
        else look();
      }),
  };
}
