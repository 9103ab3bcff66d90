/** Remembers of each model how much it can read at once, as the host says it or a refusal taught it, whether it keeps to constraints, and takes a temperature. */
import type { Settings } from '../options/settings.js';

export interface Window {
  /** Tokens, request and reply together. */
  size: number;
  /** Real tokens for one that we estimate. */
  scale: number;
}

type Place = Pick<Settings, 'endpoint' | 'model' | 'contextSize'>;

export type Constraint = 'grammar' | 'unknown' | 'refused';

export interface Windows {
  of(settings: Place): Window | undefined;
  learn(settings: Place, window: Window): void;
  /** Whether it keeps replies to a grammar, to nothing of the kind as far as is known, or refuses to; `undefined` = nobody has looked yet. */
  constraint(settings: Place): Constraint | undefined;
  noteConstraint(settings: Place, constraint: Constraint | undefined): void;
  /** It said that it takes no temperature but its own. */
  keepsTemperature(settings: Place): boolean;
  noteTemperature(settings: Place): void;
}

/** Estimates of other tokenizers' counts are off by about as much. */
export const USUAL_SCALE = 1.15;

export function createWindows(): Windows {
  const learnt = new Map<string, Window>();
  const constraints = new Map<string, Constraint | undefined>();
  const fixed = new Set<string>();
  const place = ({ endpoint, model }: Place) => `${model} ${endpoint}`;
  return {
    of(settings) {
      const known = learnt.get(place(settings));
      // A refusal knows better than a page that says more than there is.
      const size = Math.min(settings.contextSize || Infinity, known?.size ?? Infinity);
      return Number.isFinite(size) ? { size, scale: known?.scale ?? USUAL_SCALE } : undefined;
    },
    constraint: (settings) => constraints.get(place(settings)),
    noteConstraint: (settings, constraint) => void constraints.set(place(settings), constraint),
    keepsTemperature: (settings) => fixed.has(place(settings)),
    noteTemperature: (settings) => void fixed.add(place(settings)),
    learn: (settings, window) => void learnt.set(place(settings), window),
  };
}
