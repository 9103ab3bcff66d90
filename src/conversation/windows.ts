/** How much the model behind an endpoint can read at once, as the host says it or as a refusal taught it. */
import type { Settings } from './settings.js';

export interface Window {
  /** Tokens, request and reply together. */
  size: number;
  /** Real tokens for one that we estimate. */
  scale: number;
}

type Place = Pick<Settings, 'endpoint' | 'model' | 'contextSize'>;

export interface Windows {
  of(settings: Place): Window | undefined;
  learn(settings: Place, window: Window): void;
}

/** Estimates of other tokenizers' counts are off by about as much. */
export const USUAL_SCALE = 1.15;

export function createWindows(): Windows {
  const learnt = new Map<string, Window>();
  const place = ({ endpoint, model }: Place) => `${model} ${endpoint}`;
  return {
    of(settings) {
      const known = learnt.get(place(settings));
      // A refusal knows better than a page that says more than there is.
      const size = Math.min(settings.contextSize || Infinity, known?.size ?? Infinity);
      return Number.isFinite(size) ? { size, scale: known?.scale ?? USUAL_SCALE } : undefined;
    },
    learn: (settings, window) => void learnt.set(place(settings), window),
  };
}
