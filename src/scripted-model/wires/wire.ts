/**
 * The server side of an API format: parses requests and writes responses. It follows the services' documentation and shares no code with
 * the client, so that a mistake there is not repeated here.
 */
import * as z from 'zod/mini';
import type { ScriptedCall } from '../model.js';
import type { ScriptedRequest, ScriptedResult } from '../scripted-request.js';

/** A parsed request. */
export interface ParsedRequest extends ScriptedRequest {
  /** The model's name, repeated in the response as services do. */
  model: string;
  stream: boolean;
}

export interface Usage {
  input: number;
  output: number;
}

/** A finished reply. */
export interface FinishedReply {
  text: string;
  calls: readonly ScriptedCall[];
  usage: Usage;
}

/** One streamed reply. Every member returns the next text to send. */
export interface StreamEncoder {
  start: string;
  text(piece: string): string;
  call(call: ScriptedCall): string;
  end(spoken: FinishedReply): string;
}

export interface ScriptedWire {
  /** The usual path of such a service. `wire="auto"` recognizes some services by it. */
  readonly path: string;
  /** Content type of its streams. */
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @throws BadRequest if the service would refuse the request */
  read(body: unknown, request: { url: URL; headers: Headers }): ParsedRequest;
  speak(asked: ParsedRequest): StreamEncoder;
  /** Returns the reply as one JSON body. A service without it always streams. */
  whole?(asked: ParsedRequest, spoken: FinishedReply): object;
  /** Returns the body of an HTTP error: an object is sent as JSON, a string as plain text. */
  refuse(status: number, message: string): object | string;
}

/** The request does not match the service's documentation. The response is a 400. */
export class BadRequest extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadRequest';
  }
}

/** The temperature field, up to the service's maximum. */
export const temperature = (most: number) => z.optional(z.number().check(z.minimum(0), z.maximum(most)));

export function check<Schema extends z.ZodMiniType>(schema: Schema, body: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(body);
  if (error) throw new BadRequest(error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; '));
  return data;
}

/** A string, or a list of parts of which only the texts count. */
export const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) }))]);

export function flatText(value: z.infer<typeof content> | null | undefined): string {
  if (typeof value === 'string') return value;
  return (value ?? []).map(({ text }) => text ?? '').join('');
}

export const schemaOfArguments = z.looseObject({ type: z.literal('object') });

/** Parses the arguments of a call, which must be a JSON object. */
export function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  throw new BadRequest(`Arguments are not a JSON object: ${text.slice(0, 80)}`);
}

/** Checks that every call has exactly one result, and finds the tool that a result belongs to. */
export function createPendingCalls() {
  const open = new Map<string, string>();
  return {
    called(id: string, name: string): void {
      if (open.has(id)) throw new BadRequest(`Two calls have the id ${id}`);
      open.set(id, name);
    },
    answered(id: string): string {
      const name = open.get(id);
      if (name === undefined) throw new BadRequest(`No call with the id ${id} waits for a result`);
      open.delete(id);
      return name;
    },
    /** @throws BadRequest if a call has no result */
    settled(): void {
      if (open.size > 0) throw new BadRequest(`Calls without a result: ${[...open.keys()].join(', ')}`);
    },
  };
}

/** Returns the message with a call's result. Set `failed` only if the format has a field for it. */
export function toolMessage(name: string, text: string, failed = false): ScriptedResult {
  return { role: 'tool', name, text, ...(failed && { status: 'error' }) };
}

/** Returns a server-sent event; without a name, only its data. */
export function frame(data: object | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Slices by code points, so that a piece never ends inside a character. */
export function slices(text: string, size: number): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, n) => characters.slice(n * size, (n + 1) * size).join(''));
}

/** Returns the arguments in pieces, as a model streams them. */
export const argumentPieces = (call: ScriptedCall): string[] => slices(JSON.stringify(call.arguments), 12);
