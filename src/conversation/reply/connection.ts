/** Whether the page has a network at all. What is sent without one waits for it, and is sent once. */
import { nearness } from '../../transports/whereabouts.js';

export interface Connection {
  /** Something waits to be sent. */
  readonly waiting: boolean;
  /**
   * Resolves when it makes sense to send: at once where there is a network, else when it comes back, when the person says so, or when it
   * was stopped. What is on this computer is asked first and believed: it can be reached without a network.
   */
  ready(
    endpoint: URL,
    failedBefore: boolean,
    stop: AbortSignal,
    tell?: (event: { type: 'network.gone' | 'network.back' }) => void,
  ): Promise<void>;
  /** Browsers can be wrong about it. False where nothing waits. */
  tryNow(): boolean;
}

/** What a browser gives and a server does not. */
interface Surroundings {
  navigator?: { onLine?: boolean };
  addEventListener?(type: 'online', listener: () => void): void;
  removeEventListener?(type: 'online', listener: () => void): void;
}

export function createConnection(changed: () => void, page: Surroundings = globalThis): Connection {
  let goOn: (() => void) | undefined;

  return {
    get waiting() {
      return goOn !== undefined;
    },
    async ready({ protocol, hostname }, failedBefore, stop, tell) {
      const local = !/^https?:$/.test(protocol) || (nearness(hostname) === 2 && !failedBefore);
      if (page.navigator?.onLine !== false || local || stop.aborted) return;
      await new Promise<void>((resolve) => {
        goOn = resolve;
        page.addEventListener?.('online', resolve);
        stop.addEventListener('abort', () => resolve(), { once: true });
        tell?.({ type: 'network.gone' });
        changed();
      }).finally(() => {
        if (goOn) page.removeEventListener?.('online', goOn);
        goOn = undefined;
        tell?.({ type: 'network.back' });
        changed();
      });
    },
    tryNow() {
      goOn?.();
      return goOn !== undefined;
    },
  };
}
