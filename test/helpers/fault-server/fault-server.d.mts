export interface LoggedRequest {
  n: number;
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** Bytes of the body that were written. */
  bytes: number;
  finished: boolean;
  /** When the client closed before the answer was finished; milliseconds since the epoch. */
  clientClosed: number | null;
  /** When the request came. */
  t: number;
  note?: string;
}

export interface FaultServer {
  readonly log: LoggedRequest[];
  /** Every hit on the attacker's paths and port. */
  readonly exfil: { method: string; url: string; body: string }[];
  readonly scripts: Map<string, object>;
  listen(): Promise<{ port: number; evilPort: number }>;
  close(): Promise<void>;
}

export function createFaultServer(): FaultServer;
