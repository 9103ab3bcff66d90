/**
 * Makes a request fit into the model's context window; loaded once the window's size is known. Tools are paged first (`DEFAULT_TOOL_TOKENS`
 * gives way to the window), then the oldest turns are left out, then the examples, then long results of the last turn are cut. The user's
 * last message is never changed.
 */
import { cutText } from '../../base/cut-text.js';
import { estimateTokens } from '../../prompts/tokens.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { Settings } from '../options/settings.js';
import type { ContextWindow } from './model-capabilities.js';
import type { ComposedRequest } from './prompt-input.js';

/** The largest share of the window that is reserved for the reply; `max-tokens` may be less. */
const ANSWER = 1 / 4;

/** The share of the window that the tool list may use. */
const TOOLS = 1 / 2;

/** Tokens that the chat template adds to each message. */
const MARKS = 8;

/**
 * Builds the request with as much of the conversation as fits.
 * @param say builds the request from its input
 * @returns the first request that fits, or the shortest one if none does
 */
export async function fitToContext(
  window: ContextWindow,
  input: ReplyInput,
  say: (input: ReplyInput) => Promise<ComposedRequest>,
): Promise<ComposedRequest> {
  const { settings } = input.turn;
  const answer = Math.min(settings.maxTokens, Math.floor(window.size * ANSWER));
  const room = window.size - answer;
  const most = Math.floor((window.size * TOOLS) / window.scale);
  const { toolTokens } = settings.promptOptions;
  const promptOptions = { ...settings.promptOptions, toolTokens: toolTokens === 0 ? 0 : Math.min(toolTokens ?? most, most) };
  const whole = change(input, { promptOptions });

  const starts = turnsOf(input);
  const sayFrom = async (from: ReplyInput, turns: number) => {
    const messages = starts.length - turns <= 0 ? undefined : input.messages.slice(starts[starts.length - turns]);
    const said = await say(messages ? { ...from, messages } : from);
    return { said, size: requestTokens(said) * window.scale };
  };
  const finish = ({ said, size }: { said: ComposedRequest; size: number }): ComposedRequest => ({
    ...said,
    maxTokens: Math.max(Math.min(settings.maxTokens, Math.floor(window.size - size)), Math.min(settings.maxTokens, MARKS)),
  });

  let best = await sayFrom(whole, starts.length);
  if (best.size <= room) return finish(best);
  // A request grows with the number of turns, so a binary search finds the most turns that fit.
  let [fits, tooMany] = [0, starts.length];
  while (tooMany - fits > 1) {
    const turns = (fits + tooMany) >> 1;
    const tried = await sayFrom(whole, turns);
    if (tried.size <= room) [fits, best] = [turns, tried];
    else tooMany = turns;
  }
  if (fits > 0) return finish(best);
  const bare = change(whole, { promptOptions: { ...promptOptions, exampleTurns: false } });
  best = await sayFrom(bare, 1);
  if (best.size <= room) return finish(best);
  for (let chars = settings.limits.resultChars >> 2; chars >= 256; chars >>= 2) {
    best = await sayFrom(cutResults(bare, chars), 1);
    if (best.size <= room) break;
  }
  return finish(best);
}

/** Returns the indexes of the user's messages. */
const turnsOf = ({ messages }: ReplyInput): number[] => messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []));

const change = (input: ReplyInput, settings: Partial<Settings>): ReplyInput => ({
  ...input,
  turn: { ...input.turn, settings: { ...input.turn.settings, ...settings } },
});

function cutResults(input: ReplyInput, chars: number): ReplyInput {
  const calls = input.calls.map((call) =>
    call.result && call.result.result.length > chars
      ? { ...call, result: { ...call.result, result: cutText(call.result.result, chars) } }
      : call,
  );
  return { ...input, calls };
}

/** Returns the estimated tokens of a request. */
export function requestTokens({ system, messages, tools }: Pick<ComposedRequest, 'system' | 'messages' | 'tools'>): number {
  const told = tools ? estimateTokens(JSON.stringify(tools)) : 0;
  return messages.reduce(
    (sum, { text, toolCalls, served }) => {
      const calls = (served ? estimateTokens(JSON.stringify(served)) : 0) + (toolCalls ? estimateTokens(JSON.stringify(toolCalls)) : 0);
      return sum + estimateTokens(text) + calls + MARKS;
    },
    estimateTokens(system) + told + MARKS,
  );
}
