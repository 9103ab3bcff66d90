/** Counts the tokens that a session has used, and checks them against the budget. The endpoint reports usage; otherwise it is estimated. */
import { load } from '../../base/load.js';
import type { TurnFailure, FinishedReply } from '../chart/chart-context.js';
import type { Settings } from '../options/settings.js';

export interface Budget {
  /** Tokens of requests and replies together. */
  readonly spent: number;
  /** Checks whether the budget is used up, so that no turn may start. */
  isUsedUp(settings: Pick<Settings, 'tokenBudget'>): boolean;
  /** Adds the usage of a request, estimated if none was reported; `said` is the request, `heard` the reply. */
  note(usage: FinishedReply['usage'], said: object, heard: string): Promise<void>;
  /** Replaces the current count. */
  load(spent: number): void;
}

export function createBudget(): Budget {
  let spent = 0;
  return {
    get spent() {
      return spent;
    },
    isUsedUp: ({ tokenBudget }) => tokenBudget > 0 && spent >= tokenBudget,
    async note(usage, said, heard) {
      if (usage) {
        spent += usage.input + usage.output;
        return;
      }
      const { estimateTokens } = await load(() => import('../../prompts/tokens.js'));
      spent += textsIn(said).reduce((sum, text) => sum + estimateTokens(text), estimateTokens(heard));
    },
    load(kept) {
      spent = kept;
    },
  };
}

/** Returns all string values at any depth. The request's keys and punctuation are not counted. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export const budgetFailure = ({ tokenBudget }: Pick<Settings, 'tokenBudget'>): TurnFailure => ({
  ...({ kind: 'budget', code: 'LIMIT', layer: 'business', retryable: false } as const),
  budget: tokenBudget,
});
