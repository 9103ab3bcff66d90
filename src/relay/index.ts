/** The door `tool-chat/relay`. */
export { createRelay } from './relay.js';
export type { Relay } from './relay.js';
export { createMemoryStore } from './memory-store.js';
export { relayOptionsFromEnv } from './options.js';
export type { RateLimit, RelayOptions, Upstream } from './options.js';
export type { GateOptions } from './gate/gate.js';
export type { RelayLogger } from './log.js';
export type { GateReason, RelayErrorCode } from './faults.js';
export type { FoundStream, RelayStore, ReplayLimits, StateStore, StreamEvent, StreamOrders, StreamStore } from './store.js';
