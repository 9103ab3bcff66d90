/** Opens the store that the `store` option names. */
import type { RelayLogger } from './relay-log.js';
import { createMemoryStore } from './memory-store.js';
import type { RelayConfig } from './relay-options.js';
import type { RelayStore } from './store.js';

/**
 * Opens the store. A store object of the host is used as it is, and not closed with the relay.
 *
 * Rejects if the package `redis` is missing. An unreachable Redis is not an error: the relay works without it until it is available.
 */
export async function openStore({ store, replay }: RelayConfig, logger: RelayLogger): Promise<RelayStore> {
  if (store === undefined) return createMemoryStore(replay);
  if (typeof store !== 'string')
    return {
      streams: store.streams,
      ...(store.states && { states: store.states }),
      takeToken: (client, limit) => store.takeToken(client, limit),
      ...(store.troubled && { troubled: () => store.troubled!() }),
      close: () => Promise.resolve(),
    };
  const { createRedisStore } = await import('./redis-store.js');
  return createRedisStore(store, { ...replay, logger });
}
