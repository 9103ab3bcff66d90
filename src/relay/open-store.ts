/** From the `store` option to a store. */
import type { RelayLogger } from './relay-log.js';
import { createMemoryStore } from './memory-store.js';
import type { RelayConfig } from './relay-options.js';
import type { RelayStore } from './store.js';

/**
 * The host's own store is passed through, and not closed with the relay.
 *
 * Rejects when the package `redis` is missing. A Redis that cannot be reached is no error: what needs it does without until it can be.
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
