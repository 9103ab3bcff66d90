/**
 * Completes the last call of a message if it lacks one or two closing brackets. A parser does not know whether the text was cut, nor which
 * tools exist, so its owner decides at the end. A completed call is flagged and therefore requires approval.
 */
import type { ParserOptions, ProtocolParser, ProtocolReader, Segment } from '../protocol.js';
import { trimBlanks } from '../scan.js';
import { createTextBuffer } from '../call-buffer.js';
import { readComplete } from '../read-whole.js';
import { closeBrackets } from './brackets.js';
import { numbered } from '../../base/objects.js';

type CreateParser = NonNullable<ProtocolReader['createParser']>;
type Broken = Segment & { type: 'call-error' };
type Call = Segment & { type: 'call' };

/** Maximum number of blanks after the call. */
const BLANKS = 4096;

/** Maximum length, in UTF-16 units, of a call that is completed. It is read again in one step when the text is over. */
const LONGEST = 65_536;

/** Wraps a parser so that it supports the option `mayMend`. */
export function repairTruncatedJson(createParser: CreateParser): CreateParser {
  return (emit, options = {}) =>
    options.mayMend ? withRepair(createParser, emit, { ...options, mayMend: options.mayMend }) : createParser(emit, options);
}

function withRepair(
  createParser: CreateParser,
  emit: (segment: Segment) => void,
  options: ParserOptions & Required<Pick<ParserOptions, 'mayMend'>>,
): ProtocolParser {
  let ids = 0;
  const createId = options.createId ?? (() => `call-${(ids += 1)}`);
  /** A broken call, followed only by blanks so far. */
  let last: { broken: Broken; completed: string } | undefined;
  const blanks = createTextBuffer();
  let length = 0;

  const parser = createParser(take, { ...options, createId });

  function take(segment: Segment) {
    if (last && segment.type === 'text' && trimBlanks(segment.text) === '' && length < BLANKS) {
      blanks.add(segment.text);
      length += segment.text.length;
      return;
    }
    release();
    const isBroken = segment.type === 'call-error' && (segment.code === 'unclosed' || segment.code === 'bad_json');
    const completed = isBroken && segment.raw.length <= LONGEST ? closeBrackets(segment.raw) : undefined;
    if (isBroken && completed !== undefined) last = { broken: segment, completed };
    else emit(segment);
  }

  function release(calls: readonly Call[] = []) {
    if (!last) return;
    const { broken } = last;
    last = undefined;
    for (const [at, call] of numbered(calls)) {
      const id = (at === 0 && broken.id) || createId();
      if (id !== broken.id) emit({ type: 'call-start', id, name: call.name });
      const raw = calls.length === 1 ? broken.raw : call.raw;
      emit({ ...call, id, raw, flags: [...new Set([...(call.flags ?? []), 'repaired' as const, 'suspicious' as const])] });
    }
    if (calls.length === 0) emit(broken);
    if (length > 0) emit({ type: 'text', text: blanks.join() });
    blanks.clear();
    length = 0;
  }

  return {
    push: (chunk) => parser.push(chunk),
    end(reason = 'stop') {
      parser.end(reason);
      if (last) release(reason === 'stop' ? repair(last) : []);
    },
    ...(parser.inspect && { inspect: () => parser.inspect!() }),
  };

  /** Returns the calls of the completed text, if it consists only of calls that may be completed. */
  function repair({ broken, completed }: { broken: Broken; completed: string }): Call[] {
    const { mayMend: _, ...rest } = options;
    const segments = readComplete((collect) => createParser(collect, { ...rest, createId: () => '' }), completed);
    const calls: Call[] = [];
    for (const segment of segments) {
      if (segment.type === 'call') calls.push(segment);
      else if (segment.type === 'call-error' || (segment.type === 'text' && trimBlanks(segment.text) !== '')) return [];
    }
    const isWhole = calls.every(({ name, flags, protocol }) => !flags?.includes('quoted') && options.mayMend(name, protocol));
    return isWhole && (broken.id === undefined || calls[0]?.name === broken.name) ? calls : [];
  }
}
