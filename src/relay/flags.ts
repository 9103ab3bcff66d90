/** What the ready relay can be told on its command line: each flag stands for an environment variable, and wins over it. */
import { parseArgs } from 'node:util';

interface Flag {
  /** The environment variable. */
  env: string;
  value?: string;
  /** One line, for `--help`. */
  about: string;
}

/** A key is no flag: whoever is on the machine can read those of any process. */
const flags: Readonly<Record<string, Flag>> = {
  'base-url': { env: 'MODEL_BASE_URL', value: 'URL', about: 'where the model is, such as https://host/v1 (needed)' },
  api: { env: 'MODEL_API', value: 'NAME', about: 'how it is asked: openai (default), anthropic, ollama, gemini' },
  model: { env: 'MODEL_NAME', value: 'NAME', about: 'the model that is asked' },
  models: { env: 'MODEL_NAMES', value: 'NAMES', about: 'further models that a page may name' },
  'embeddings-model': { env: 'MODEL_EMBEDDINGS', value: 'NAME', about: 'the model for embeddings' },
  'system-prefix': { env: 'SYSTEM_PREFIX', value: 'TEXT', about: "stands before every page's system prompt" },
  port: { env: 'PORT', value: 'N', about: 'default 8787' },
  host: { env: 'HOST', value: 'ADDRESS', about: 'default 127.0.0.1; 0.0.0.0 takes requests of other computers, too' },
  'public-origin': { env: 'PUBLIC_ORIGIN', value: 'ORIGIN', about: 'the origin of its own, such as https://chat.example' },
  'allowed-origins': { env: 'ALLOWED_ORIGINS', value: 'ORIGINS', about: 'further origins whose pages may ask' },
  'require-origin': { env: 'REQUIRE_ORIGIN', about: 'refuses who names no origin' },
  'rate-limit': { env: 'RATE_LIMIT', value: 'N/MS', about: 'so many requests of a client in so many milliseconds' },
  'trust-proxy': { env: 'TRUST_PROXY', value: 'N', about: 'proxies in front, default 0' },
  redis: { env: 'REDIS_URL', value: 'URL', about: 'shared by several relays' },
  'resume-window': { env: 'RESUME_WINDOW_MS', value: 'MS', about: 'how long a lost client is waited for, default 15000' },
  timeout: { env: 'MODEL_TIMEOUT_MS', value: 'MS', about: 'of silence of the model, default 60000' },
  'max-duration': { env: 'MODEL_MAX_DURATION_MS', value: 'MS', about: 'of a whole answer, default 600000' },
  'max-tokens': { env: 'MODEL_MAX_TOKENS', value: 'N', about: 'the most that a page can ask for, default 8192' },
  'max-streams': { env: 'MAX_STREAMS', value: 'N', about: 'answers under way at once, default 500' },
  'max-body-bytes': { env: 'MAX_BODY_BYTES', value: 'N', about: 'of a request, default 1000000' },
  'body-timeout': { env: 'BODY_TIMEOUT_MS', value: 'MS', about: 'in which a request has to arrive, default 15000' },
  'ping-interval': { env: 'PING_INTERVAL_MS', value: 'MS', about: 'of silence until a sign of life, default 8000' },
  orchestration: { env: 'ORCHESTRATION', value: 'KIND', about: 'client (default) or relay-gated' },
  metrics: { env: 'METRICS', about: 'answers GET /metrics with figures for Prometheus' },
};

export interface CommandLine {
  help: boolean;
  /** Tries the settings and the model once, then ends. */
  check: boolean;
  /** The environment with the flags in it. */
  env: Record<string, string | undefined>;
}

/** @throws TypeError for what is no flag, in words of Node */
export function readCommandLine(args: readonly string[], env: Readonly<Record<string, string | undefined>>): CommandLine {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' } as const]),
  );
  const { values } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' }, check: { type: 'boolean' } },
  });
  const said: Record<string, string | boolean | undefined> = values;
  const told = Object.entries(flags).flatMap(([name, flag]) => (said[name] === undefined ? [] : [[flag.env, String(said[name])] as const]));
  return { help: said['help'] === true, check: said['check'] === true, env: { ...env, ...Object.fromEntries(told) } };
}

export function helpText(): string {
  const rows = Object.entries(flags).map(([name, { env, value = '', about }]) => [`--${name} ${value}`.trim(), env, about] as const);
  const [flagWidth, envWidth] = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]!.length)));
  return [
    'tool-chat-relay: stands between pages with <tool-chat> and a model, and keeps the key.',
    '',
    'Usage: MODEL_API_KEY=… tool-chat-relay --base-url https://host/v1 --model NAME --allowed-origins https://shop.example',
    '',
    'Each flag stands for an environment variable, and wins over it. The key is only MODEL_API_KEY.',
    '',
    ...rows.map(([flag, env, about]) => `  ${flag.padEnd(flagWidth!)}  ${env.padEnd(envWidth!)}  ${about}`),
    '',
    `  ${'--check'.padEnd(flagWidth!)}  ${''.padEnd(envWidth!)}  tries settings, store and model once, and says what is wrong`,
    `  ${'--help'.padEnd(flagWidth!)}  ${''.padEnd(envWidth!)}  this text`,
    '',
  ].join('\n');
}
