/** Bodies that were recorded from the services, and what each says. */
import { readdirSync, readFileSync } from 'node:fs';
import replies from '../fixtures/turns/whole-replies.json' with { type: 'json' };

export interface Case {
  file: string;
  contentType: string;
  transport: 'close' | 'reset';
  splits: number[];
  bytes: number;
  text: string;
  reasoning: string;
  toolCalls: { id: string | null; name: string; arguments: object; signature?: string; output?: unknown; approvalId?: string }[];
  finish: { normalized: string } | null;
  usage: { input: number; output: number; cached?: number } | null;
  error: { kind: 'provider' | 'truncated' | 'transport'; message: string; code?: number | string; type?: string } | null;
  complete: boolean;
  model?: string;
}

const root = new URL('../fixtures/wires/', import.meta.url);

export const recorded = readdirSync(root).map((id) => {
  const { cases } = JSON.parse(readFileSync(new URL(`${id}/expected.json`, root), 'utf8')) as { cases: Case[] };
  return { id, cases };
});

export const bodyOf = (id: string, file: string) => new Uint8Array(readFileSync(new URL(`${id}/${file}`, root)));

export const wholeReplies: Record<string, object> = replies;
