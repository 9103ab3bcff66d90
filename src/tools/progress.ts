/** Validates and throttles the progress reports of a running tool: at most ten per second, and always the last one. */
import { cutText } from '../base/cut-text.js';

export interface Progress {
  /** A number from 0 to 1. */
  fraction?: number;
  message?: string;
}

const INTERVAL = 100;
const MESSAGE_CHARS = 200;

/** Creates the reporter of a tool. Reports after `end` are ignored. */
export function createProgress(tell: ((progress: Progress) => void) | undefined): { report(progress: Progress): void; end(): void } {
  let ended = tell === undefined;
  let latest: Progress | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush() {
    timer = undefined;
    if (ended || !latest) return;
    const said = latest;
    latest = undefined;
    timer = setTimeout(flush, INTERVAL);
    tell?.(said);
  }

  return {
    report(progress) {
      if (ended) return;
      const { fraction, message } = (progress as Progress | null | undefined) ?? {};
      latest = Object.freeze({
        ...(typeof fraction === 'number' && !Number.isNaN(fraction) && { fraction: Math.min(1, Math.max(0, fraction)) }),
        ...(typeof message === 'string' && { message: cutText(message, MESSAGE_CHARS) }),
      });
      if (timer === undefined) flush();
    },
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
