/**
 * The options that an environment variable or a flag can set: their names, how a value is read and checked, the default, and a line for
 * `--help`.
 */

/**
 * Checks a value.
 *
 *   @throws TypeError that names `name`
 */
type Check = (name: string, value: number) => number;

export interface OptionRow {
  env: string;
  /** Default: the option's name in kebab case. `false` for a key: every user of the machine can read the flags of any process. */
  flag?: string | false;
  /** The placeholder of the value in `--help`. If absent, the flag takes no value and switches the option on. */
  value?: string;
  /** Converts the text of an environment variable. Default: keeps it as text. */
  read?: (value: string, env: string) => unknown;
  check?: Check;
  default?: number;
  about: string;
}

const atLeast =
  (fits: (value: number) => boolean, what: string): Check =>
  (name, value) => {
    if (Number.isFinite(value) && fits(value)) return value;
    throw new TypeError(`${name} must be ${what}.`);
  };
export const positive = atLeast((value) => value > 0, 'a number above 0');
const notNegative = atLeast((value) => value >= 0, 'a number, 0 or above');
const whole = atLeast((value) => Number.isInteger(value) && value >= 0, 'a whole number, 0 or above');

const list = (value: string) => value.split(/[\s,]+/);
const isOn = (value: string) => value !== 'false';

function rateLimit(value: string, env: string) {
  const [requests, perMs] = value.split('/').map(Number);
  if (!(requests! > 0 && perMs! > 0)) throw new TypeError(`${env} must look like 60/60000 (requests/milliseconds).`);
  return { requests: requests!, perMs: perMs! };
}

const number = (env: string, value: string, initial: number, about: string, check = positive) =>
  ({ env, value, check, default: initial, about, read: (given: string) => check(env, Number(given)) }) as const;

export const optionTable = {
  baseUrl: { env: 'MODEL_BASE_URL', value: 'URL', about: 'where the model is, such as https://host/v1 (needed)' },
  api: { env: 'MODEL_API', value: 'NAME', about: 'how it is asked: openai (default), anthropic, ollama, gemini' },
  apiKey: { env: 'MODEL_API_KEY', flag: false, about: '' },
  model: { env: 'MODEL_NAME', value: 'NAME', about: 'the model that is asked' },
  models: { env: 'MODEL_NAMES', value: 'NAMES', read: list, about: 'further models that a page may name' },
  embeddingsModel: { env: 'MODEL_EMBEDDINGS', value: 'NAME', about: 'the model for embeddings' },
  systemPrefix: { env: 'SYSTEM_PREFIX', value: 'TEXT', about: "stands before every page's system prompt" },
  publicOrigin: { env: 'PUBLIC_ORIGIN', value: 'ORIGIN', about: 'the origin of its own, such as https://chat.example' },
  allowedOrigins: { env: 'ALLOWED_ORIGINS', value: 'ORIGINS', read: list, about: 'further origins whose pages may ask' },
  basePath: { env: 'BASE_PATH', value: 'PATH', about: 'the one prefix of all routes, such as /api/ai (default: any)' },
  requireOrigin: { env: 'REQUIRE_ORIGIN', read: isOn, about: 'rejects requests without an Origin header' },
  rateLimit: { env: 'RATE_LIMIT', value: 'N/MS', read: rateLimit, about: 'requests per client per time window, such as 60/60000' },
  trustProxy: number('TRUST_PROXY', 'N', 0, 'proxies in front', whole),
  store: { env: 'REDIS_URL', flag: 'redis', value: 'URL', about: 'shared by several relays' },
  resumeWindow: number('RESUME_WINDOW_MS', 'MS', 15_000, 'how long a lost client is waited for', notNegative),
  timeout: number('MODEL_TIMEOUT_MS', 'MS', 60_000, 'of silence of the model'),
  maxDuration: number('MODEL_MAX_DURATION_MS', 'MS', 600_000, 'of a whole answer'),
  maxTokens: number('MODEL_MAX_TOKENS', 'N', 8_192, 'the most that a page can ask for'),
  maxStreams: number('MAX_STREAMS', 'N', 500, 'answers at once'),
  maxBodyBytes: number('MAX_BODY_BYTES', 'N', 1_000_000, 'of a request'),
  bodyTimeout: number('BODY_TIMEOUT_MS', 'MS', 15_000, 'in which a request has to arrive'),
  pingInterval: number('PING_INTERVAL_MS', 'MS', 8_000, 'of silence until a sign of life'),
  orchestration: { env: 'ORCHESTRATION', value: 'KIND', about: 'client (default) or relay-gated' },
  metrics: { env: 'METRICS', read: isOn, about: 'answers GET /metrics with figures for Prometheus' },
} as const satisfies Record<string, OptionRow>;

export const optionRows = Object.entries<OptionRow>(optionTable);

type NumberOption = {
  [K in keyof typeof optionTable]: (typeof optionTable)[K] extends { check: Check } ? K : never;
}[keyof typeof optionTable];

/** Returns the numeric options, checked. An unset one has its default. */
export function numbersOf(options: Partial<Record<NumberOption, number>>): Record<NumberOption, number> {
  const numbers = optionRows.flatMap(([name, { check, default: initial = 0 }]) =>
    check ? [[name, check(name, options[name as NumberOption] ?? initial)] as const] : [],
  );
  return Object.fromEntries(numbers) as Record<NumberOption, number>;
}
