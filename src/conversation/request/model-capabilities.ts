/**
 * Remembers for each model its context window (set by the host or learned from an error), its support of constraints, and if it accepts a
 * temperature.
 */
import type { Settings } from '../options/settings.js';

export interface ContextWindow {
  /** Tokens of request and reply together. */
  size: number;
  /** Real tokens per estimated token. */
  scale: number;
}

type ModelKey = Pick<Settings, 'endpoint' | 'model' | 'contextSize'>;

export type Constraint = 'grammar' | 'unknown' | 'refused';

export interface ModelCapabilities {
  of(settings: ModelKey): ContextWindow | undefined;
  learn(settings: ModelKey, window: ContextWindow): void;
  /**
   * Returns `grammar` if the endpoint accepts one, `unknown` if no support was detected, `refused` if it failed; `undefined` if it was not
   * probed yet.
   */
  constraint(settings: ModelKey): Constraint | undefined;
  noteConstraint(settings: ModelKey, constraint: Constraint | undefined): void;
  /** Returns true if the model only accepts its default temperature. */
  hasFixedTemperature(settings: ModelKey): boolean;
  noteFixedTemperature(settings: ModelKey): void;
}

/** Typical error of our estimate with other tokenizers. */
export const USUAL_SCALE = 1.15;

export function createModelCapabilities(): ModelCapabilities {
  const learnt = new Map<string, ContextWindow>();
  const constraints = new Map<string, Constraint | undefined>();
  const fixed = new Set<string>();
  const keyOf = ({ endpoint, model }: ModelKey) => `${model} ${endpoint}`;
  return {
    of(settings) {
      const known = learnt.get(keyOf(settings));
      // An error message is more reliable than a page that sets too large a value.
      const size = Math.min(settings.contextSize || Infinity, known?.size ?? Infinity);
      return Number.isFinite(size) ? { size, scale: known?.scale ?? USUAL_SCALE } : undefined;
    },
    constraint: (settings) => constraints.get(keyOf(settings)),
    noteConstraint: (settings, constraint) => void constraints.set(keyOf(settings), constraint),
    hasFixedTemperature: (settings) => fixed.has(keyOf(settings)),
    noteFixedTemperature: (settings) => void fixed.add(keyOf(settings)),
    learn: (settings, window) => void learnt.set(keyOf(settings), window),
  };
}
