/** For tests: what the task API was asked, and a way to make its next answer fail or come late. */
import { setTimeout as wait } from 'node:timers/promises';

export interface LoggedRequest {
  method: string;
  /** As sent: still URL-encoded, with the query. */
  path: string;
  headers: Record<string, string>;
  /** The body as text; empty where there was none. */
  body: string;
  /** 0 while the answer is not there yet. */
  status: number;
}

export interface Match {
  /** Default: any. */
  method?: string;
  /** Start of the path. Default: any. */
  path?: string;
}

export interface Fault extends Match {
  status: number;
  message?: string;
}

export interface Delay extends Match {
  milliseconds: number;
}

export interface RequestLog {
  readonly requests: readonly LoggedRequest[];
  /** The next request that fits is answered by this fault and changes nothing. */
  failNext(fault: Fault): void;
  /** The next request that fits is handled this much later. */
  delayNext(delay: Delay): void;
  clear(): void;
  /** Used by the API: notes a request and takes what waits for it. */
  receive(request: Request): Promise<{ entry: LoggedRequest; fault?: Fault }>;
}

export function createRequestLog(): RequestLog {
  const requests: LoggedRequest[] = [];
  const faults: Fault[] = [];
  const delays: Delay[] = [];
  return {
    requests,
    failNext: (fault) => void faults.push(fault),
    delayNext: (delay) => void delays.push(delay),
    clear() {
      requests.length = faults.length = delays.length = 0;
    },
    async receive(request) {
      const url = new URL(request.url);
      const entry = {
        method: request.method,
        path: url.pathname + url.search,
        headers: Object.fromEntries(request.headers),
        body: await request.clone().text(),
        status: 0,
      };
      requests.push(entry);
      const delay = take(delays, entry);
      if (delay) await wait(delay.milliseconds);
      const fault = take(faults, entry);
      return fault ? { entry, fault } : { entry };
    },
  };
}

function take<T extends Match>(waiting: T[], { method, path }: LoggedRequest): T | undefined {
  const at = waiting.findIndex((one) => (one.method ?? method) === method && path.startsWith(one.path ?? ''));
  return at === -1 ? undefined : waiting.splice(at, 1)[0];
}
