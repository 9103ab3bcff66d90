/**
 * Reads plans and questions in the text of a model: a JSON object whose first key is `task_plan` or `clarify`, in a fence of its own or
 * bare at the start of a line. It gets what the protocol's parser has left as text, so nothing inside a call is taken for a plan, nor
 * anything inside code, which text mode recognizes. A plan that cannot be used is reported to the model and not shown, because users cannot
 * read JSON. Questions that cannot be used stay text.
 */
import { own } from '../../base/objects.js';
import type { BlockKind, BlockProblem, Clarify, TaskPlan } from '../../model/plan.js';
import { fenceEnd, matchFenceLine, matchWords, type BlockEnd } from '../../protocols/json/block-ends.js';
import { parseTolerant } from '../../protocols/json/tolerant.js';
import type { Place } from '../../protocols/code-state.js';
import type { ProtocolParser, Segment } from '../../protocols/protocol.js';
import { isBlank, NEED_MORE, NO_MATCH } from '../../protocols/scan.js';
import { createTextBuffer } from '../../protocols/call-buffer.js';
import { createTextMode, type BlockHost, type Notation } from '../../protocols/text-mode.js';
import { type EndReason } from '../../protocols/protocol.js';
import { ValidationError, read as readChecked, type Check } from '../../base/checks.js';
import { clarifyOf, PlanFault, planOf } from '../../storage/plan-checks.js';

/** A block that was parsed and validated. */
export type ReplyBlock = { kind: 'task_plan'; plan: TaskPlan } | { kind: 'clarify'; clarify: Clarify };

/** The output: the segments of the input, blocks in their places, text that is not shown, and at the end the problems. */
export type ReplyPiece =
  | Segment
  | { type: 'block'; block: ReplyBlock; raw: string }
  | { type: 'hidden'; raw: string }
  | { type: 'broken-block'; kind: BlockKind; problem: BlockProblem };

/** Maximum length of a block, in UTF-16 units. */
const LONGEST = 65_536;

const checks: Record<BlockKind, Check<ReplyBlock>> = {
  task_plan: (value) => ({ kind: 'task_plan', plan: planOf(value) }),
  clarify: (value) => ({ kind: 'clarify', clarify: clarifyOf(value) }),
};

/** Info strings of fences that may hold a block, including none. The model is taught `json`. */
const WORDS = ['json', 'jsonc', 'json5', ''];

export interface BlockReader {
  take(segment: Segment): void;
  end(reason: EndReason): void;
}

/**
 * @param kinds those that were taught; the others are text
 * @param instead what is shown where nothing else is, because a plan could not be used
 */
export function createBlockReader(kinds: readonly BlockKind[], emitPiece: (piece: ReplyPiece) => void, instead = ''): BlockReader {
  let shows = false;
  const emit = (piece: ReplyPiece) => {
    shows ||= piece.type === 'text' ? piece.text.trim() !== '' : piece.type === 'block' || piece.type === 'call-start';
    emitPiece(piece);
  };
  const told: { kind: BlockKind; problem: BlockProblem }[] = [];
  let parser = open();

  function open(): ProtocolParser {
    let parsers = 0;
    const findings: Findings = { found: emit, broken: (kind, problem) => told.push({ kind, problem }) };
    return createTextMode(
      // The first one reads the text. A second one looks into its last fence, where a plan is only quoted.
      (host) => createReplyBlockParser(kinds, host, (parsers += 1) === 1 ? findings : undefined),
      (segment) => {
        if (segment.type === 'text' || segment.type === 'reasoning') emit(segment);
      },
    );
  }

  return {
    take(segment) {
      if (segment.type === 'text') {
        parser.push(segment.text);
        return;
      }
      if (segment.type !== 'arguments' && segment.type !== 'reasoning') {
        // A block does not continue behind a call, and a call ends its line.
        parser.end('abort');
        parser = open();
      }
      if (segment.type === 'was-reasoning') {
        told.length = 0;
        shows = false;
      }
      emit(segment);
    },
    end(reason) {
      parser.end(reason);
      if (reason !== 'stop') return;
      if (!shows && instead && told.some(({ kind }) => kind === 'task_plan')) emit({ type: 'text', text: instead });
      for (const { kind, problem } of told) emit({ type: 'broken-block', kind, problem });
    },
  };
}

interface Findings {
  found(piece: ReplyPiece): void;
  broken(kind: BlockKind, problem: BlockProblem): void;
}

function createReplyBlockParser(kinds: readonly BlockKind[], host: BlockHost, findings: Findings | undefined): Notation {
  let step: 'none' | 'json' | 'behind' | 'skip' = 'none';
  let kind: BlockKind = 'task_plan';
  let fence: BlockEnd | undefined;
  /** True if a bare object was not a block. From then on only fences count, so that no text is read more than twice. */
  let spent = false;
  const source = createTextBuffer();
  let length = 0; // length of the source
  let start = 0; // start of the JSON in the source
  let behind = 0; // end of the JSON in the source
  let depth = 0;
  let inString = false;
  let escaped = false;
  let fresh = false; // only blanks precede this on its line

  function openAt(text: string, at: number, place: Place): number {
    if (place !== 'line') return NO_MATCH;
    if (text[at] === '{') return spent ? NO_MATCH : begin(text, at, at, undefined);
    if (text[at] !== '`' && text[at] !== '~') return NO_MATCH;
    const line = matchFenceLine(text, at, WORDS);
    return typeof line === 'number' ? line : begin(text, at, line.end, fenceEnd(line.mark, line.length));
  }

  function begin(text: string, at: number, json: number, end: BlockEnd | undefined): number {
    let answer = NO_MATCH;
    for (const each of kinds) {
      const head = matchWords(text, json, ['{', `"${each}"`, ':']);
      if (head === NEED_MORE) answer = NEED_MORE;
      if (head <= NO_MATCH) continue;
      kind = each;
      fence = end;
      step = 'json';
      depth = behind = 0;
      inString = escaped = fresh = false;
      source.clear();
      source.add(text.slice(at, json));
      length = start = json - at;
      return json;
    }
    return answer;
  }

  function read(text: string, at: number, ending: EndReason | undefined): number {
    if (step === 'skip') return skip(text, at, ending);
    let index = at;
    while (step === 'json' && index < text.length) {
      if (length + index - at >= LONGEST || !scan(text[index]!)) return reject(text, at, index, { code: 'json' }, ending);
      index += 1;
      if (depth > 0) continue;
      behind = length + index - at;
      step = 'behind';
    }
    if (step === 'json') return ending ? reject(text, at, index, { code: 'end' }, ending) : hold(text, at, index);
    if (!fence) return finish(text, at, index);
    for (; index < text.length; index += 1) {
      const char = text[index]!;
      if (char === fence.mark) {
        const end = fence.match(text, index, { fresh, complete: true, final: ending !== undefined });
        if (end > NO_MATCH) return finish(text, at, end);
        if (end === NEED_MORE) return hold(text, at, index);
      }
      if (!isBlank(char.charCodeAt(0))) return reject(text, at, index, { code: 'behind' }, ending);
      if (char === '\n' || char === '\r') fresh = true;
      if (length + index - at >= LONGEST) return reject(text, at, index, { code: 'json' }, ending);
    }
    return ending && ending !== 'abort'
      ? finish(text, at, index)
      : ending
        ? reject(text, at, index, { code: 'end' }, ending)
        : hold(text, at, index);
  }

  /**
   * Returns false for a character that is not allowed there. A string must not contain a line break, or the end of a fence could be missed.
   */
  function scan(char: string): boolean {
    if (inString) {
      if (escaped) escaped = false;
      else if (char === '\\') escaped = true;
      else if (char === '"') inString = false;
      return char !== '\n' && char !== '\r';
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    return char !== '`' && char !== '~';
  }

  function hold(text: string, at: number, index: number): number {
    source.add(text.slice(at, index));
    length += index - at;
    return index;
  }

  function finish(text: string, at: number, end: number): number {
    hold(text, at, end);
    const raw = source.join();
    const json = parseTolerant(raw.slice(start, behind));
    if ('error' in json) return giveBack(end, { code: 'json' });
    try {
      const block = readChecked(checks[kind], own(json.value, kind));
      close(raw);
      findings?.found({ type: 'block', block, raw });
      return end;
    } catch (error) {
      return giveBack(end, problemOf(error));
    }
  }

  /** Ends the block. Text mode only gets a placeholder for it, because the block itself is reported separately. */
  function close(raw: string) {
    step = 'none';
    host.emit({ type: 'call', id: '', name: kind, arguments: {}, raw });
  }

  function reject(text: string, at: number, index: number, problem: BlockProblem, ending: EndReason | undefined): number {
    hold(text, at, index);
    if (kind !== 'task_plan' || !findings) return giveBack(index, ending === 'abort' ? undefined : problem);
    if (ending !== 'abort') findings.broken(kind, problem);
    findings.found({ type: 'hidden', raw: source.join() });
    source.clear();
    step = 'skip';
    fresh = false;
    return skip(text, index, ending);
  }

  /** Skips a plan that cannot be used, to the end of its fence or else of its paragraph. */
  function skip(text: string, at: number, ending: EndReason | undefined): number {
    let index = at;
    let over = false;
    for (; index < text.length && !over; index += 1) {
      const char = text[index]!;
      if (fence && char === fence.mark) {
        const end = fence.match(text, index, { fresh, complete: false, final: ending !== undefined });
        if (end === NEED_MORE) break;
        if (end > NO_MATCH) {
          index = end - 1;
          over = true;
        } else fresh = false;
      } else if (char === '\n') {
        over = !fence && fresh;
        fresh = true;
      } else if (!isBlank(char.charCodeAt(0))) fresh = false;
    }
    if (index > at) findings?.found({ type: 'hidden', raw: text.slice(at, index) });
    if (over || (ending && index === text.length)) close('');
    return index;
  }

  /** Handles a block that is complete but cannot be used: a plan is hidden, and questions become text. */
  function giveBack(index: number, problem: BlockProblem | undefined): number {
    if (problem) findings?.broken(kind, problem);
    if (kind === 'task_plan' && findings) {
      const raw = source.join();
      close(raw);
      findings.found({ type: 'hidden', raw });
      return index;
    }
    if (!fence) spent = true;
    step = 'none';
    host.reject(source.join());
    return index;
  }

  return {
    openers: '`~{',
    open: openAt,
    get inside() {
      return step !== 'none';
    },
    read,
    inspect: () => ({ state: step }),
  };
}

function problemOf(error: unknown): BlockProblem {
  if (error instanceof PlanFault) return { code: error.code, ids: error.ids };
  return error instanceof ValidationError ? { code: 'shape', field: error.path.toReversed().join('.') } : { code: 'json' };
}
