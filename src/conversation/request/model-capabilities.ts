/**
 * Remembers for each model its context window (set by the host or learned from an error), its support of constraints, and if it accepts a
 * temperature.
 */
import type { Settings } from '../options/settings.js';

export interface Window {
  /** Tokens of request and reply together. */
  size: number;
  /** Real tokens per estimated token. */
  scale: number;
}

type Place = Pick<Settings, 'endpoint' | 'model' | 'contextSize'>;

export type Constraint = 'grammar' | 'unknown' | 'refused';

export interface Windows {
  of(settings: Place): Window | undefined;
  learn(settings: Place, window: Window): void;
  /**
   * Returns `grammar` if the endpoint accepts one, `unknown` if no support was detected, `refused` if it failed; `undefined` if it was not
   * probed yet.
   */
  constraint(settings: Place): Constraint | undefined;
  noteConstraint(settings: Place, constraint: Constraint | undefined): void;
  /** Returns true if the model only accepts its default temperature. */
  keepsTemperature(settings: Place): boolean;
  noteTemperature(settings: Place): void;
}

/** Typical error of our estimate with other tokenizers. */
export const USUAL_SCALE = 1.15;

export function createWindows(): Windows {
  const learnt = new Map<string, Window>();
  const constraints = new Map<string, Constraint | undefined>();
  const fixed = new Set<string>();
  const place = ({ endpoint, model }: Place) => `${model} ${endpoint}`;
  return {
    of(settings) {
      const known = learnt.get(place(settings));
      // An error message is more reliable than a page that sets too large a value.
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
