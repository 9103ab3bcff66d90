/** Who may ask, and on whose account: what a host's own `authorise` says of a request. */
import type { RateLimit } from './store.js';

/** What is left out is as it is for everybody. */
export interface Tenant {
  /** Stands in the log and in `onAnswer`; requests of one tenant share one `rateLimit`, wherever they come from. */
  id: string;
  apiKey?: string;
  model?: string;
  models?: readonly string[];
  maxTokens?: number;
  rateLimit?: RateLimit;
}

/** `undefined` = may not: answered 401. Gets the request before its body is read. */
export type Authorise = (request: Request) => Tenant | undefined | Promise<Tenant | undefined>;
