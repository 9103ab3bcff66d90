/** What a logger and a log entry are. Levels and redaction live in `logging.ts`. */

import type { ErrorLayer } from './errors.js';

export interface Logger {
  /** Gets redacted data only. */
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

export interface LogEntry {
  /** ISO 8601, UTC. */
  time: string;
  level: string;
  /** Stable name of what happened, e.g. `tool.failed`. */
  code: string;
  message: string;
  /** The class of what failed, or its code where it has no class. */
  errorType?: string;
  /** Where it arose: a refusal of business is told from a crash. */
  layer?: ErrorLayer;
  stack?: string;
  /** Stage of seed 000's pipeline. */
  stage?: 'IF' | 'SCH' | 'EX' | 'WB';
  context: object;
}
