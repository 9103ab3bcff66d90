/** The tenant that a host's own `authorise` returns for a request. */
import type { RateLimit } from './store.js';

/** The account of a request. An absent field has the relay's own setting. */
export interface Tenant {
  /** The id, which appears in the log and in `onAnswer`. Requests of one tenant share one `rateLimit`, wherever they come from. */
  id: string;
  apiKey?: string;
  model?: string;
  models?: readonly string[];
  maxTokens?: number;
  rateLimit?: RateLimit;
}

/** Returns the tenant of a request, or `undefined` to answer 401. Gets the request before its body is read. */
export type Authorise = (request: Request) => Tenant | undefined | Promise<Tenant | undefined>;
