/** Asks the endpoint for notes about the conversation, in a separate request without tools. */
import { load } from '../../base/load.js';
import { cutText } from '../../base/cut-text.js';
import { ANSWER_CHARS } from '../../memory/summary-notes.js';
import { chooseWire } from '../../transports/choose-wire.js';
import { baseUrl } from '../../transports/prepare-request.js';
import { readReply, type SetTimer } from '../../transports/read-reply.js';
import type { Wire } from '../../transports/wire.js';
import type { Budget } from '../request/token-budget.js';
import type { Settings } from '../options/settings.js';

export interface SummaryRequest {
  system: string;
  text: string;
}

export interface SummaryDependencies {
  wires: readonly Wire[];
  setTimer: SetTimer;
  budget: Pick<Budget, 'note'>;
}

/** The limit is low because notes are three sentences and some facts. */
const MAX_TOKENS = 1_000;

/** Returns the model's answer. Rejects if it is incomplete. Does not retry, because the next period brings another attempt. */
export async function askForText(
  { system, text }: SummaryRequest,
  settings: Settings,
  { wires, setTimer, budget }: SummaryDependencies,
  signal: AbortSignal,
): Promise<string> {
  const endpoint = new URL(settings.endpoint, baseUrl());
  const wire = await chooseWire(settings.wire, endpoint, wires);
  let answer = '';
  let usage: { input: number; output: number } | undefined;
  const outcome = await readReply(
    {
      wire,
      endpoint,
      auto: wire.id !== settings.wire,
      // The session id is left out: a service that keeps sessions must not add this request to the conversation.
      turn: {
        system,
        messages: [{ role: 'user', text }],
        maxTokens: Math.min(settings.maxTokens, MAX_TOKENS),
        stream: settings.stream === 'on',
        ...(settings.orchestration === 'relay-gated' && {
          config: { orchestration: (await load(() => import('../request/relay-gating.js'))).gateStateWithoutHistory() },
        }),
        ...(settings.model && { model: settings.model }),
      },
      ...(settings.headers && { headers: settings.headers }),
      ...(settings.beforeSend && { beforeSend: settings.beforeSend }),
      fetch: settings.fetch,
      signal,
      requestTimeout: settings.requestTimeout,
      heartbeat: settings.heartbeat,
      lineChars: settings.limits.lineChars,
      setTimer,
    },
    {
      event(event) {
        if (event.type === 'text') answer = cutText(answer + event.text, ANSWER_CHARS);
        else if (event.type === 'usage') usage = { input: event.input, output: event.output };
      },
    },
  );
  if (answer) await budget.note(usage, { system, text }, answer);
  if (outcome.type === 'ended' && outcome.finish !== 'error' && outcome.finish !== 'content-filter') return answer;
  const failure = outcome.type === 'aborted' || outcome.type === 'ended' ? undefined : outcome.error;
  throw new Error(failure ? [failure.code, failure.status].filter(Boolean).join(' ') : outcome.type);
}
