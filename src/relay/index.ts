/** The entry point `tool-chat/relay`. */
export { createRelay } from './relay.js';
export type { Relay } from './relay.js';
export { createMemoryStore } from './memory-store.js';
export { relayOptionsFromEnv } from './relay-options.js';
export type { RelayOptions, Upstream } from './relay-options.js';
export type { GateOptions } from './gate/relay-gate.js';
export type { RelayLogger } from './relay-log.js';
export type { GateReason, RelayErrorCode } from './errors.js';
export type { FoundStream, RelayStore, RateLimit, ReplayLimits, StateStore, StreamEvent, StreamOrders, StreamStore } from './store.js';
export type { UsageRecord as AnswerRecord } from './usage-record.js';
export type { ModelApiName } from './relay-options.js';
export type { Authorise, Tenant } from './tenant.js';
