/** The relay's settings with those of who asks. */
import { faults } from './faults.js';
import type { RelayConfig } from './relay-options.js';
import type { Tenant } from './tenant.js';

export interface Account {
  tenant: Tenant | undefined;
  /** The relay's, with what is the tenant's own. */
  config: RelayConfig;
}

/** @throws RelayFault 401 for whom the host does not let in, 500 where it could not say */
export async function accountOf(request: Request, config: RelayConfig): Promise<Account> {
  const { authorise } = config;
  if (!authorise) return { tenant: undefined, config };
  // Nothing of it is read here, so the body stays for the relay.
  const tenant = await Promise.resolve(request)
    .then(authorise)
    .catch((error: unknown) => Promise.reject(faults.internal(error)));
  if (!tenant || typeof tenant.id !== 'string') throw faults.unauthorised();
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
