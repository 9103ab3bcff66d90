/**
 * Metrics of a relay in the text format of Prometheus, served at `/metrics` if enabled. They are only counts: no user and no text of a
 * conversation appears in them.
 */
import type { UsageRecord } from './usage-record.js';

/** Upper bounds of the histogram buckets, in seconds. */
const FIRST = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const WHOLE = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export interface Metrics {
  answered(record: UsageRecord): void;
  refused(code: string): void;
  /** @param now the current state */
  text(now: { streams: number; maxStreams: number; closing: boolean; isStoreWell: boolean }): string;
}

export function createMetrics(): Metrics {
  const answers = createCounter('tool_chat_relay_answers_total', 'Answers that have ended, by route and outcome.', ['route', 'outcome']);
  const faults = createCounter('tool_chat_relay_faults_total', 'Answers that ended in an error, by its code.', ['code']);
  const refusals = createCounter('tool_chat_relay_refusals_total', 'Requests that were refused, by code.', ['code']);
  const tokens = createCounter('tool_chat_relay_tokens_total', 'Tokens as the model counts them.', ['kind']);
  const first = createHistogram('tool_chat_relay_first_event_seconds', 'From the request to the first event of its answer.', FIRST);
  const whole = createHistogram('tool_chat_relay_answer_seconds', 'From the request to the end of its answer.', WHOLE);
  return {
    answered({ route, outcome, ms, firstMs, code, tokens: used }) {
      answers.add([route, outcome]);
      if (code !== undefined && outcome === 'fault') faults.add([code]);
      whole.observe(ms / 1000);
      if (firstMs !== undefined) first.observe(firstMs / 1000);
      if (!used) return;
      tokens.add(['input'], used.input);
      tokens.add(['output'], used.output);
    },
    refused: (code) => refusals.add([code]),
    text: ({ streams, maxStreams, closing, isStoreWell }) =>
      [
        gauge('tool_chat_relay_streams', 'Answers in progress.', streams),
        gauge('tool_chat_relay_streams_limit', 'As many as may be.', maxStreams),
        gauge('tool_chat_relay_closing', 'Takes no further request.', Number(closing)),
        gauge('tool_chat_relay_store_up', '1 if the store can be reached.', Number(isStoreWell)),
        ...[answers, faults, refusals, tokens, first, whole].map((one) => one.text()),
      ].join(''),
  };
}

const head = (name: string, help: string, type: string) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
const gauge = (name: string, help: string, value: number) => `${head(name, help, 'gauge')}${name} ${value}\n`;

function createCounter(name: string, help: string, labels: readonly string[]) {
  const values = new Map<string, number>();
  return {
    /** `of` has a value for each label. All values must come from a fixed list of our own. */
    add(of: readonly string[], by = 1) {
      const key = labels.map((label, at) => `${label}="${of[at] ?? ''}"`).join(',');
      values.set(key, (values.get(key) ?? 0) + by);
    },
    text: () => head(name, help, 'counter') + [...values].map(([key, value]) => `${name}{${key}} ${value}\n`).join(''),
  };
}

function createHistogram(name: string, help: string, bounds: readonly number[]) {
  const counts = bounds.map(() => 0);
  let sum = 0;
  let count = 0;
  return {
    observe(seconds: number) {
      sum += seconds;
      count += 1;
      for (const [at, bound] of bounds.entries()) if (seconds <= bound) counts[at]! += 1;
    },
    text: () =>
      head(name, help, 'histogram') +
      bounds.map((bound, at) => `${name}_bucket{le="${bound}"} ${counts[at]}\n`).join('') +
      `${name}_bucket{le="+Inf"} ${count}\n${name}_sum ${sum}\n${name}_count ${count}\n`,
  };
}
