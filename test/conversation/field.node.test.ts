/**
 * Replies of real models and gateways (`test/fixtures/field/`), each in one piece, at random splits and byte by byte. A case that is `pending`
 * fails for now, and is taken off that list when it does not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import { loadDialects } from '../../src/conversation/reply/foreign-text.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { approvalDigest } from '../../src/model/approval-digest.js';
import type { CardView } from '../../src/model/calls.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { isFullEffort } from '../helpers/effort.js';

type Calls = [name: string, args: object][];
type Reply = string | { status?: number; type?: string; headers?: object; body?: string | { base64: string }; parts?: { body: string }[] };

interface Case {
  id: string;
  source: string;
  about: string;
  wire: string;
  protocol: string;
  model?: string;
  options?: Partial<ConversationOptions>;
  tools?: string[];
  extraTools?: Record<string, Partial<ToolDefinition>>;
  replies: Reply[];
  /** The last reply is repeated; otherwise "Done." follows. */
  always?: boolean;
  expect: {
    /** Calls that run, in order, once the user has allowed those that ask. */
    runs?: Calls;
    /** Calls that run, or the model is told what is wrong with them. */
    offers?: Calls;
    /** Names of the calls that ask first. */
    asks?: string[];
    /** The text of the first answer. */
    shows?: string;
    reasoning?: string;
    /** What is not on screen, as a pattern. */
    hides?: string;
    /** No markup of a call on screen. */
    clean?: true;
    /** What the user reads below the answers: errors, their details, notes and notices, as a pattern. */
    reads?: string;
    unread?: string;
    /** What the host's `tool-chat-stream-chunk` does not say, as a pattern. */
    unheard?: string;
    /** What the later requests say to the model, as a pattern. */
    told?: string;
    /** How the turn ends. */
    reason?: string;
    /** At most so many requests. */
    requests?: number;
  };
  /** Why it fails for now. */
  pending?: string;
  /** What was decided where the report leaves it open. */
  decided?: string;
}

const root = new URL('../fixtures/field/', import.meta.url);
const json = (file: string) => JSON.parse(readFileSync(new URL(file, root), 'utf8')) as unknown;
const kinds = readdirSync(root)
  .filter((file) => file !== 'common.json')
  .map((file) => ({ kind: file.replace('.json', ''), cases: json(file) as Case[] }));
const { tools, wires, markup } = json('common.json') as {
  tools: Record<string, Partial<ToolDefinition>>;
  /** By wire: its path, the content type of its streams, and a plain "Done.". */
  wires: Record<string, { path: string; type: string; done: string }>;
  markup: string;
};

/** What is being played, by the first part of the address. */
const playing = new Map<string, { wire: { type: string; done: string }; replies: Reply[]; always: boolean; bodies: string[] }>();

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  const one = playing.get(request.url?.split('/')[1] ?? '')!;
  let body = '';
  request.on('data', (chunk: Buffer) => void (body += String(chunk)));
  request.on('end', () => {
    const nth = one.bodies.push(body) - 1;
    const reply = one.replies[one.always ? Math.min(nth, one.replies.length - 1) : nth] ?? one.wire.done;
    const given = typeof reply === 'string' ? { body: reply } : reply;
    const type = given.type ?? one.wire.type;
    response.writeHead(given.status ?? 200, { ...(type && { 'content-type': type }), ...given.headers });
    const content = given.parts?.map((part) => part.body).join('') ?? given.body ?? '';
    response.end(typeof content === 'string' ? content : Buffer.from(content.base64, 'base64'));
  });
});

/** Sizes of pieces: `Infinity` for all in one, 1 for single bytes. */
type Sizes = () => number;

/** A `fetch` that hands a body on in pieces of these sizes, whatever pieces the network made. */
const sliced = (sizes: Sizes, arriving: Set<object>) => async (url: RequestInfo | URL, init?: RequestInit) => {
  const response = await fetch(url, init);
  const bytes = new Uint8Array(await response.arrayBuffer());
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      start: () => void arriving.add(response),
      cancel: () => void arriving.delete(response),
      pull(controller) {
        if (at >= bytes.length) {
          arriving.delete(response);
          return controller.close();
        }
        const end = Math.min(bytes.length, at + sizes());
        controller.enqueue(bytes.slice(at, end));
        at = end;
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
};

/** Waits between attempts are over at once. */
const clock = { setTimeout: (run: () => void, ms: number) => setTimeout(run, ms > 5000 ? ms : 0), clearTimeout } as never;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
let plays = 0;

async function play(one: Case, sizes: Sizes) {
  const key = `p${String((plays += 1))}`;
  const wire = wires[one.wire]!;
  const script = { wire, replies: one.replies, always: one.always === true, bodies: [] };
  playing.set(key, script);
  const runs: Calls = [];
  const asked: string[] = [];
  const arriving = new Set<object>();
  let heard = '';
  const { port } = server.address() as AddressInfo;
  const chat = createConversation({
    ...{ endpoint: `http://127.0.0.1:${String(port)}/${key}${wire.path}`, wire: one.wire, protocol: one.protocol as 'auto' },
    ...{ model: one.model ?? 'm', logger: silent, logLevel: 'error', fetch: sliced(sizes, arriving), clock, ...one.options },
    onEvent(event) {
      if (event.type === 'stream-chunk') heard += event.text;
      return true;
    },
  });
  const { surface, decide, attachPerson } = internalsOf(chat);
  attachPerson();
  const offered = { ...tools, ...one.extraTools };
  for (const name of one.tools ?? Object.keys(offered))
    chat.registerTool({
      ...{ name, description: `Does ${name}.`, ...offered[name] },
      execute(args) {
        runs.push([name, args]);
        return { success: true, message: 'ok' };
      },
    } as ToolDefinition);
  const cards = new Set<string>();
  /** A reply arrives, and the reader that its end waits for is loaded, faster than a person reads a card. */
  const allow = async (requestId: string, digest: string) => {
    while (arriving.size > 0) await new Promise((resolve) => setImmediate(resolve));
    await loadDialects();
    await new Promise((resolve) => setImmediate(resolve));
    decide({ requestId, digest, verdict: 'allow' });
  };
  surface.subscribe((view) => {
    for (const { requestId, status, call, toolName } of Object.values(view.cards) as CardView[]) {
      if (status !== 'awaiting_approval' || !call || cards.has(requestId)) continue;
      cards.add(requestId);
      asked.push(toolName);
      void allow(requestId, approvalDigest(call));
    }
  });
  const { reason } = await chat.sendMessage('Please do it.');
  const { views, failure, notices } = surface.view;
  const answers = views.filter(({ message }) => message.role === 'assistant');
  const shown = answers.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : []))).join('\n');
  const told = script.bodies.slice(1).map((body) => (JSON.parse(body) as { messages?: unknown }).messages ?? body);
  const seen = {
    ...{ runs, asked, heard, shown, reason, told: JSON.stringify(told), requests: script.bodies.length },
    first: (answers[0]?.parts.flatMap((part) => (part.type === 'text' ? part.text : [])) ?? []).join('').trim(),
    reasoning: answers
      .flatMap(({ message }) => message.reasoning ?? [])
      .join('\n')
      .trim(),
    reads: [
      ...(failure?.lines ?? []),
      failure?.details ?? '',
      ...answers.map(({ note }) => note ?? ''),
      ...(notices ?? []).map(({ text }) => text),
    ].join('\n'),
  };
  chat.dispose();
  playing.delete(key);
  return seen;
}

type Seen = Awaited<ReturnType<typeof play>>;

const pattern = (source: string) => new RegExp(source.replace('(?i)', ''), source.startsWith('(?i)') ? 'i' : '');

function judge({ expect: wanted }: Case, seen: Seen): void {
  const wrong = /MALFORMED_CALL|TOOL_NOT_FOUND|MISSING_PARAMETER|INVALID_PARAMETER/;
  if (wanted.runs) expect(seen.runs, 'runs').to.deep.equal(wanted.runs);
  if (wanted.offers && (seen.runs.length > 0 || !wrong.test(seen.told))) expect(seen.runs, 'runs').to.have.deep.members(wanted.offers);
  if (wanted.asks) expect(seen.asked, 'asks').to.deep.equal(wanted.asks);
  if (wanted.shows !== undefined) expect(seen.first, 'shows').to.equal(wanted.shows);
  if (wanted.reasoning !== undefined) expect(seen.reasoning, 'reasoning').to.equal(wanted.reasoning);
  if (wanted.hides) expect(seen.shown, 'hides').to.not.match(pattern(wanted.hides));
  if (wanted.clean) expect(seen.shown, 'no markup').to.not.match(pattern(markup));
  if (wanted.reads) expect(seen.reads, 'reads').to.match(pattern(wanted.reads));
  if (wanted.unread) expect(seen.reads, 'does not read').to.not.match(pattern(wanted.unread));
  if (wanted.unheard) expect(seen.heard, 'the host does not hear').to.not.match(pattern(wanted.unheard));
  if (wanted.told) expect(seen.told, 'told').to.match(pattern(wanted.told));
  if (wanted.reason) expect(seen.reason, 'reason').to.equal(wanted.reason);
  if (wanted.requests) expect(seen.requests, 'requests').to.be.at.most(wanted.requests);
}

/** The same sizes in each run. */
function random(seed: number): Sizes {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 1 + ((state >>> 8) % (state % 4 === 0 ? 400 : 40));
  };
}

const slicings: [name: string, sizes: (nth: number) => Sizes][] = [
  ['in one piece', () => () => Infinity],
  ['at random splits', (nth) => random(nth)],
  ...(isFullEffort
    ? [2, 3, 4].map((times): [string, (nth: number) => Sizes] => ['at other splits', (nth) => random(nth * times + 7)])
    : []),
  ['byte by byte', () => () => 1],
];

describe('replies from the field', () => {
  before((done) => void server.listen(0, '127.0.0.1', done));
  after((done) => void server.close(done));

  for (const { kind, cases } of kinds)
    describe(kind, () => {
      cases.forEach((one, nth) => {
        it(`${one.id}: ${one.about} (${one.source})${one.pending ? `: pending, ${one.pending}` : ''}`, async () => {
          if (one.pending) {
            const seen = await play(one, () => Infinity);
            expect(() => judge(one, seen), 'It holds now: take `pending` off.').to.throw();
            return;
          }
          for (const [how, sizes] of slicings)
            try {
              judge(one, await play(one, sizes(nth + 1)));
            } catch (error) {
              throw new Error(`${how}: ${(error as Error).message}`, { cause: error });
            }
        });
      });
    });
});
