/** What a running tool says about its progress, checked and thinned out: at most ten reports a second, the last one always. */
import { cutText } from '../base/cut-text.js';

export interface Progress {
  /** 0 … 1. */
  fraction?: number;
  message?: string;
}

const INTERVAL = 100;
const MESSAGE_CHARS = 200;

/** `end` is the last word: what a tool reports after it is ignored. */
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
