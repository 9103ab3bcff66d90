/**
 * Makes a request fit what the model can read at once; loaded where that is known. Tools are paged first (`DEFAULT_TOOL_TOKENS` gives way to the
 * window), then the oldest turns stay behind, then examples, then long results of the last turn are cut. The person's last words are never touched.
 */
import { cutText } from '../../base/cut-text.js';
import { estimateTokens } from '../../prompts/tokens.js';
import type { ReplyInput } from '../chart/chart-context.js';
import type { Settings } from '../options/settings.js';
import type { Window } from './windows.js';
import type { ComposedRequest } from './prompt-input.js';

/** Share of the window that is kept for the answer, where `max-tokens` wants more. */
const ANSWER = 1 / 4;

/** Share of the window that the list of tools may have. */
const TOOLS = 1 / 2;

/** Tokens of a message beside its text: marks of the template. */
const MARKS = 8;

/**
 * @param say makes the request from what it is given
 * @returns the first that fits, with as much of the conversation as there is room for; else the shortest
 */
export async function fitTo(
  window: Window,
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
  // The more turns, the longer: the most that fit are found by halves.
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

/** Where the person's messages are. */
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

/** Estimated tokens of a request. */
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
