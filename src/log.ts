/** What a logger and a log entry are. Floor 0; contract §7 C. Levels and redaction live in `logging.ts`. */

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
  errorType?: string;
  stack?: string;
  /** Stage of seed 000's pipeline (S0-111). */
  stage?: 'IF' | 'SCH' | 'EX' | 'WB';
  context: object;
}
