/**
 * The far side of a wire: how a service that speaks it reads a request and answers. Written from what the services document, with
 * nothing taken from the widget's own wires: a mistake made there must not be made here as well.
 */
import * as z from 'zod/mini';
import type { ScriptedCall } from '../model.js';
import type { ScriptedRequest, ScriptedResult } from '../scripted-request.js';

/** What was asked, in whatever words. */
export interface Asked extends ScriptedRequest {
  /** Echoed in the answer, as services do. */
  model: string;
  stream: boolean;
}

export interface Usage {
  input: number;
  output: number;
}

/** A finished answer. */
export interface Spoken {
  text: string;
  calls: readonly ScriptedCall[];
  usage: Usage;
}

/** One streamed answer as it is written; every member returns what goes onto the wire next. */
export interface Speech {
  start: string;
  text(piece: string): string;
  call(call: ScriptedCall): string;
  end(spoken: Spoken): string;
}

export interface ScriptedWire {
  /** Where such a service usually answers; by it `wire="auto"` knows those that can be known so. */
  readonly path: string;
  /** Of its streams. */
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @throws BadRequest for what the service would refuse */
  read(body: unknown, request: { url: URL; headers: Headers }): Asked;
  speak(asked: Asked): Speech;
  /** The answer as one JSON body; a service without this streams whatever it is asked. */
  whole?(asked: Asked, spoken: Spoken): object;
  /** The body of an HTTP error: an object is sent as JSON, a string as plain text. */
  refuse(status: number, message: string): object | string;
}

/** The request is not what the service documents: answered with 400. */
export class BadRequest extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadRequest';
  }
}

/** Up to which number a service lets its model be free. */
export const temperature = (most: number) => z.optional(z.number().check(z.minimum(0), z.maximum(most)));

export function check<Schema extends z.ZodMiniType>(schema: Schema, body: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(body);
  if (error) throw new BadRequest(error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; '));
  return data;
}

/** A string, or a list of parts of which the texts count. */
export const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) }))]);

export function flatText(value: z.infer<typeof content> | null | undefined): string {
  if (typeof value === 'string') return value;
  return (value ?? []).map(({ text }) => text ?? '').join('');
}

export const schemaOfArguments = z.looseObject({ type: z.literal('object') });

/** JSON text that is an object; what a call's arguments have to be. */
export function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  throw new BadRequest(`Arguments are not a JSON object: ${text.slice(0, 80)}`);
}

/** Keeps the rule that every call has exactly one answer, and finds the tool that an answer belongs to. */
export function callBook() {
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
    /** @throws BadRequest when a call has been left without an answer */
    settled(): void {
      if (open.size > 0) throw new BadRequest(`Calls without a result: ${[...open.keys()].join(', ')}`);
    },
  };
}

/** The result of a call. `failed` only where the wire has a field for it. */
export function toolMessage(name: string, text: string, failed = false): ScriptedResult {
  return { role: 'tool', name, text, ...(failed && { status: 'error' }) };
}

/** A server-sent event; without a name the data alone. */
export function frame(data: object | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** By code points: a piece never ends inside a character. */
export function slices(text: string, size: number): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, n) => characters.slice(n * size, (n + 1) * size).join(''));
}

/** Arguments as a model streams them. */
export const argumentPieces = (call: ScriptedCall): string[] => slices(JSON.stringify(call.arguments), 12);
