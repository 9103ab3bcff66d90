/** Turns the model's text, and tool events of a service, into what the chart and the screen get. */
import { load } from '../../base/load.js';
import type { ParserOptions, ProtocolReader, Segment } from '../../protocols/protocol.js';
import type { DialectOptions } from '../../protocols/dialects.js';
import { createCallIds, type Reading, type ToolPiece } from './reply-reading.js';
import { createNameCheck, loadDialects, readForeign } from './foreign-text.js';
import type { Planning } from '../request/planning.js';
import { NATIVE } from '../request/protocol-registry.js';
import { createSegmentSink, acceptsDialects, type SegmentSink } from './segment-sink.js';
import type { ServiceCalls } from './service-calls.js';
import { usableTools } from '../request/prompt-input.js';
import { readAsText, withoutCalls, type TextReader } from './plain-reply.js';
import type { ReplyPiece } from './block-reader.js';

export interface Parsing extends Pick<SegmentSink, 'found' | 'foreign'> {
  push(text: string): void;
  /** Takes a piece of a call that arrived outside of the text. */
  tool(piece: ToolPiece): void;
  /** Ends the reply. `proved`: all of it has arrived. */
  end(reason: 'stop' | 'length' | 'abort', proved: boolean): Promise<void>;
  /** Adds a call that was found after the end of the reply. */
  offer(call: Omit<Segment & { type: 'call' }, 'type' | 'id'>): void;
  /** Notes that a piece of the reply is missing here, because it could not be read. */
  missing(): void;
  /** Checks whether the text that was pushed last belonged to a call of a tool with sensitive parameters. Such text is not logged. */
  heldSecrets(): boolean;
}

export async function openParsing(
  reader: ProtocolReader,
  how: Omit<Reading, 'ids' | 'protocolId'>,
  { reads: blocks, instead }: Pick<Planning, 'reads' | 'instead'> = { reads: [], instead: '' },
): Promise<Parsing> {
  const reading: Reading = { ...how, protocolId: reader.id, ids: createCallIds(how.dependencies.createId) };
  const { settings } = how.input.turn;
  const withTools = settings.tools === 'on';
  const sink = createSegmentSink(reading);
  let lost = false;
  let isWhole = false;
  /** The tools of calls that arrived outside of the text. */
  const named = new Set<string>();
  const options: ParserOptions = {
    maxAccumulator: settings.maxAccumulator,
    createId: reading.ids.mint,
    // A relay that checks the conversation against what it has read itself has not read a repaired call.
    mayMend: (name, protocol = reader.id) =>
      isWhole && settings.orchestration === 'client' && how.dependencies.registry.has(name, protocol),
  };
  // If there is no tool to call, the model's output is only text.
  const nothingToCall = withTools && !hasTools(how);
  // If another page had begun to read the reply, everything that it had read is read at once.
  const isPlain = nothingToCall && blocks.length === 0 && settings.parseMode !== 'complete' && how.input.turn.resumableReply === undefined;
  const dialects: DialectOptions = {
    isTool: (name) => !nothingToCall && how.dependencies.registry.has(name, reader.id),
    isWord: createNameCheck(() => (nothingToCall ? [] : how.dependencies.registry.names(reader.id))),
    active: reader.id,
    mayMend: (name) => options.mayMend!(name),
    isWhole: () => isWhole,
    isCalled: (name) => named.has(name),
  };
  // The reader of models' own dialects is loaded at the first sign of one, or before the reply of a model that is known to write one.
  const atOnce = settings.parseMode === 'complete' || (!nothingToCall && acceptsDialects(settings));
  const later = withTools && !isPlain && !atOnce && settings.accept !== 'strict';
  const createParser =
    withTools && !isPlain
      ? await parserOf(nothingToCall ? await withoutCalls() : reader, settings, atOnce ? dialects : undefined)
      : undefined;
  const madeUp = withoutFabricatedResults(sink.take, () => {
    how.live.rebuildFromParts = true;
    how.dependencies.log.info('reply.made-up', 'The model made up the result of its call; that is shown with its thoughts', {});
  });
  const reads =
    blocks.length > 0 ? (await load(() => import('./block-reader.js'))).createBlockReader(blocks, madeUp.take, instead) : undefined;
  const take = reads?.take ?? madeUp.take;
  const asItCame = (emit: (segment: Segment) => void): TextReader => ({
    push: (text) => {
      emit({ type: 'text', text });
    },
    end: () => undefined,
  });
  const openDialects = (emit: (segment: Segment) => void) =>
    loadDialects().then(({ createDialectFilter }) => createDialectFilter(emit, { ...options, ...dialects }));
  const withForeign = (): TextReader => {
    const foreign = readForeign(take, how.live, openDialects, dialects.isWord);
    const parser = (createParser ?? asItCame)(foreign.take, options);
    return {
      get pending() {
        return foreign.pending;
      },
      push: (text) => parser.push(text),
      end(reason) {
        void parser.end(reason);
        return foreign.end(reason);
      },
    };
  };
  const plainText = settings.accept === 'strict' ? undefined : () => plainReader(dialects);
  const parser: TextReader = isPlain
    ? readAsText(take, how.live, plainText)
    : later
      ? withForeign()
      : (createParser ?? asItCame)(take, options);

  const early: ToolPiece[] = [];
  let calls: ServiceCalls | undefined;
  let loading: Promise<void> | undefined;
  /** Loads the reader of such calls with the first of them, because most replies have none. They come after the text before them. */
  const open = async () => {
    const [{ createServiceCalls }] = await Promise.all([load(() => import('./service-calls.js')), parser.pending]);
    calls ??= createServiceCalls(reading, sink, withTools && reader.id === NATIVE);
    for (const piece of early.splice(0)) calls.take(piece);
  };

  return {
    push(text) {
      sink.forgetSecrets();
      parser.push(text);
    },
    tool(piece) {
      if (piece.name) named.add(piece.name);
      if (calls && !parser.pending) {
        calls.take(piece);
        return;
      }
      early.push(piece);
      if (early.length === 1) loading = open();
    },
    async end(reason, proved) {
      isWhole = proved && !lost;
      if (reason === 'abort') sink.release();
      const reading = parser.end(reason);
      if (reading) await reading;
      reads?.end(reason);
      madeUp.end();
      await loading;
      calls?.end(reason);
      if (reason !== 'abort') await sink.caughtUp();
    },
    offer(call) {
      const id = reading.ids.mint();
      sink.take({ type: 'call-start', id, name: call.name });
      sink.take({ ...call, type: 'call', id });
    },
    missing() {
      lost = true;
      sink.missing();
    },
    heldSecrets: () => sink.heldSecrets || parser.pending !== undefined,
    get found() {
      return sink.found;
    },
    get foreign() {
      return sink.foreign;
    },
  };
}

/** Checks whether calls are possible: there is a tool, or a call before, which the model may repeat and which is then answered. */
export const hasTools = ({ input, dependencies }: Pick<Reading, 'input' | 'dependencies'>): boolean =>
  input.calls.length > 0 || usableTools(input.turn.settings, dependencies).length > 0;

/** Returns the parser for the text of a reply, according to the settings of the conversation. */
export async function parserOf(
  reader: ProtocolReader,
  { accept, parseMode }: Pick<Reading['input']['turn']['settings'], 'accept' | 'parseMode'>,
  dialects?: DialectOptions,
): Promise<ProtocolReader['createParser']> {
  let { createParser } = reader;
  if (accept === 'any' && reader.id !== NATIVE)
    createParser = (await load(() => import('../../protocols/any-protocol.js'))).anyParser(reader);
  if (accept !== 'strict' && dialects && createParser) createParser = (await loadDialects()).withDialects(createParser, dialects);
  if (parseMode === 'complete' && createParser)
    createParser = (await load(() => import('../../protocols/on-call-complete.js'))).onCallComplete(createParser);
  return createParser;
}

/** Returns a reader for a reply in which nothing can be called. The markup of models is not text even there. */
const plainReader = async (dialects: DialectOptions): Promise<ProtocolReader> => {
  const [{ createParser, id }, { withDialects }] = await Promise.all([withoutCalls(), loadDialects()]);
  return { id, createParser: withDialects(createParser!, dialects) };
};

/** Beginnings of results in ReAct, in the templates of Qwen, Hermes and Anthropic, and of a turn of the user. */
const SIGNS = ['Observation:', '<tool_response>', '<function_results>', 'Human:', 'User:'];
const LONGEST = 512;

interface FabricatedResultFilter {
  take(piece: ReplyPiece): void;
  end(): void;
}

function withoutFabricatedResults(take: (piece: ReplyPiece) => void, onMadeUp: () => void): FabricatedResultFilter {
  let state: 'text' | 'behind-call' | 'made-up' = 'text';
  let held = ''; // text that needs more text to be classified

  function release() {
    if (held) take({ type: 'text', text: held });
    held = '';
    state = 'text';
  }

  function readBehindCall(text: string) {
    held += text;
    const begun = held.trimStart();
    if (SIGNS.some((sign) => begun.startsWith(sign))) {
      state = 'made-up';
      onMadeUp();
      take({ type: 'reasoning', text: held });
      held = '';
    } else if (held.length >= LONGEST || !SIGNS.some((sign) => sign.startsWith(begun))) release();
  }

  return {
    take(piece) {
      if (piece.type === 'text' && state === 'behind-call') return readBehindCall(piece.text);
      if (state === 'made-up') return take(insideFabricated(piece));
      if (piece.type !== 'text') release();
      if (piece.type === 'call') state = 'behind-call';
      take(piece);
    },
    end: release,
  };
}

function insideFabricated(piece: ReplyPiece): ReplyPiece {
  if (piece.type === 'text') return { type: 'reasoning', text: piece.text };
  return piece.type === 'call' ? { ...piece, flags: [...(piece.flags ?? []), 'suspicious'] } : piece;
}
