/** The types of a logger and a log entry. */

import type { ErrorLayer } from './errors.js';

export interface Logger {
  /** Receives redacted data only. */
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
  /** A stable name of the event, e.g. `tool.failed`. */
  code: string;
  message: string;
  /** The class of the error, or its code if it has no class. */
  errorType?: string;
  /** The layer in which the error occurred; a refusal by business logic differs from a crash. */
  layer?: ErrorLayer;
  stack?: string;
  /** The stage of the pipeline: fetch, schedule, execute, write back. */
  stage?: 'IF' | 'SCH' | 'EX' | 'WB';
  context: object;
}
