/** Merges the settings of the requesting tenant into the relay's. */
import { relayErrors } from './errors.js';
import type { RelayConfig } from './relay-options.js';
import type { Authorise, Tenant } from './tenant.js';

/** The account of a request: its tenant, if the host uses `authorise`, and the settings that result. */
export interface Account<Given = Tenant | undefined> {
  tenant: Given;
  /** The relay's settings, overridden by those of the tenant. */
  config: RelayConfig;
}

/** @throws RelayError 401 if the host does not admit the request, 500 if `authorise` fails */
export async function resolveAccount(request: Request, config: RelayConfig, authorise: Authorise): Promise<Account<Tenant>> {
  // `authorise` must leave the body unread: the relay reads it later.
  const tenant = await Promise.resolve(request)
    .then(authorise)
    .catch((error: unknown) => Promise.reject(relayErrors.internal(error)));
  if (!tenant || typeof tenant.id !== 'string') throw relayErrors.unauthorised();
  const { apiKey, model = config.model, models, maxTokens, rateLimit } = tenant;
  return {
    tenant,
    config: {
      ...config,
      model,
      models: models
        ? new Set(model === undefined ? models : [model, ...models])
        : model === undefined
          ? config.models
          : new Set([model, ...config.models]),
      ...(apiKey !== undefined && { apiKey }),
      ...(maxTokens !== undefined && { maxTokens: Math.min(maxTokens, config.maxTokens) }),
      ...(rateLimit && { rateLimit }),
    },
  };
}
