/** Counts the tokens that a session has used, and says whether it may use more. The endpoint reports them; else they are estimated. */
import { load } from '../../base/load.js';
import type { TurnFailure, FinishedReply } from '../chart/chart-context.js';
import type { Settings } from '../options/settings.js';

export interface Budget {
  /** Tokens, of requests and replies together. */
  readonly spent: number;
  /** Whether a turn that begins now is one too many. */
  isUsedUp(settings: Pick<Settings, 'tokenBudget'>): boolean;
  /** Resolves when a request that reported nothing is estimated; `said` is what was sent, `heard` what came. */
  note(usage: FinishedReply['usage'], said: object, heard: string): Promise<void>;
  /** In place of what there is. */
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

/** All that is read as text, wherever it stands; names and punctuation of the request are not. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export const usedUp = ({ tokenBudget }: Pick<Settings, 'tokenBudget'>): TurnFailure => ({
  ...({ kind: 'budget', code: 'LIMIT', layer: 'business', retryable: false } as const),
  budget: tokenBudget,
});
