/** Waits for the network if the page has none. A message that is sent without one is sent once, when it is back. */
import { ipAddressSpace } from '../../transports/ip-address-space.js';

export interface Connection {
  /** True if something waits to be sent. */
  readonly waiting: boolean;
  /**
   * Resolves when it makes sense to send: at once if there is a network; else when it comes back, when the user asks for it, or when `stop`
   * is aborted. A service on this computer can be reached without a network, so the first attempt is made at once.
   */
  ready(
    endpoint: URL,
    failedBefore: boolean,
    stop: AbortSignal,
    tell?: (event: { type: 'network.gone' | 'network.back' }) => void,
  ): Promise<void>;
  /** Ends the wait, because browsers can be wrong about the network. Returns false if nothing waits. */
  tryNow(): boolean;
}

/** The parts of the global object that a browser has and a server does not. */
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
      const local = !/^https?:$/.test(protocol) || (ipAddressSpace(hostname) === 2 && !failedBefore);
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
