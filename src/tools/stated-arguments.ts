/**
 * Which arguments of a call its sentence or its changes really state, so that the card may fold them. That a text occurs in a sentence proves
 * nothing: another argument may have brought it. So the tool describes the call again with another value in the place of one argument, and
 * that value has to appear exactly where the first one stood. Whatever cannot be proved stays in view.
 */
import type { Change, Stated } from '../model/calls.js';
import { isObject, own } from '../base/objects.js';
import { valueText } from '../base/value-text.js';
import { isId, isListOfIds, isPlainId, objectsIn } from '../model/sentence-objects.js';
import { CHANGES, readChange, sentenceOf, type DescribeOptions } from './describe-call.js';
import { runLimited } from './limited.js';
import { toolContext, type CheckedCall, type PrepareDeps } from './prepare.js';
import type { ToolContext } from './tool.js';

/** Arguments that are tried; the rest stay in view. */
const MOST = 8;
/** Milliseconds for one more description. */
const LIMIT = 1000;
/** A number of fewer characters is never stated: it looks like any other. */
const LEAST_NUMBER = 4;
/** The shape of a longer text does not matter: no sentence states it. */
const LONG = 1000;
/** A text with quotation marks or lines of its own can look like more than one thing. */
const UNCLEAR = /["“”„«»「」『』\n]/;

type Arguments = Record<string, unknown>;
type Options = Pick<DescribeOptions, 'tool' | 'args' | 'context' | 'stop'> & { limit: number };

interface Description {
  sentence?: string | undefined;
  changes?: readonly Change[] | undefined;
  /** The argument that is watched was read on the way to it. */
  reads: { sentence: boolean; changes: boolean };
  /** An answer was waited for. */
  waits: { sentence: boolean; changes: boolean };
}

export async function findStated({ call, tool, argsForTool }: CheckedCall, deps: PrepareDeps): Promise<Stated | undefined> {
  const { sentence, preview = [], rehearsed } = call;
  if (sentence === undefined || call.describeFailed || call.flags?.some((flag) => flag !== 'quoted')) return undefined;
  const { requestId, toolName } = call;
  const context = (signal: AbortSignal) => toolContext({ ...deps, requestId, toolName, signal });
  const options = { tool, args: argsForTool, context, limit: Math.min(deps.limit ?? LIMIT, LIMIT), stop: deps.stop };
  const described = { sentence, changes: rehearsed && tool.simulate ? [] : preview };
  const given = argsForTool();
  if (!isObject(given)) return undefined;
  const names = sameArguments(call.args, given);
  const text = (name: string): string => valueText(own(call.args, name));

  const candidates = names.filter((name) => {
    const value = own(call.args, name);
    if (otherValue(value) === undefined || (typeof value === 'number' && text(name).length < LEAST_NUMBER)) return false;
    return (
      stands(text(name), sentence) ||
      described.changes.some((change) =>
        sidesOf(change).some((side) => change[side] !== undefined && valueText(change[side]) === text(name)),
      )
    );
  });
  const ids = Object.keys(call.args).filter(isId);
  const isNameable = (name: string): boolean =>
    names.includes(name) && isPlainId(text(name)) && otherValue(own(call.args, name)) !== undefined;
  const [id] = ids.length === 1 ? ids.filter(isNameable) : [];
  const list = names.find((name) => isListOfIds(name, own(call.args, name)) && areNamed(own(call.args, name) as string[], described));
  const results = await Promise.all([
    ...candidates.slice(0, MOST).map((name) => findPlaces(name, call.args, described, options)),
    id !== undefined && objectsIn(sentence).length > 0 && namesId(id, given, sentence, options),
    list !== undefined && namesEach(list, given, described, options),
  ]);
  const places = results.filter((result): result is Places => typeof result === 'object');
  const [isNamed, areListed] = results.slice(-2);
  return Object.freeze({
    args: Object.freeze([
      ...places.flatMap(({ name, stated }) => (stated ? [name] : [])),
      ...(isNamed === true ? [id as string] : []),
      ...(areListed === true ? [list as string] : []),
    ]),
    changes: Object.freeze([...new Set(places.flatMap(({ changes }) => changes))]),
  });
}

/** The arguments that the tool gets as they are shown: a schema may have turned others into something else. */
function sameArguments(shown: Readonly<Arguments>, given: Readonly<Arguments>): string[] {
  return Object.keys(shown).filter((name) => {
    const [one, other] = [own(shown, name), own(given, name)];
    return typeof one === typeof other && valueText(one) === valueText(other);
  });
}

interface Places {
  name: string;
  stated: boolean;
  /** New changes that the sentence states by this argument. */
  changes: number[];
}

/** The places of one argument by itself: in the sentence, or as the result of a change. */
async function findPlaces(name: string, args: Readonly<Arguments>, described: Described, options: Options): Promise<Places> {
  const value = own(args, name);
  const other = otherValue(value);
  const [text, otherText] = [valueText(value), valueText(other)];
  const { sentence, changes } = described;
  const again = await describe({ [name]: other }, options, { sentence: true, changes: changes.length > 0 });
  const inSentence =
    again.sentence !== undefined &&
    !UNCLEAR.test(text) &&
    stands(text, sentence) &&
    stands(otherText, again.sentence) &&
    again.sentence.split(otherText).join(text) === sentence;
  const at = changes.flatMap((change, index) => {
    const changed = again.changes?.length === changes.length ? again.changes[index] : undefined;
    const isThere = sidesOf(change).some(
      (side) => change[side] !== undefined && valueText(change[side]) === text && valueText(changed?.[side]) === otherText,
    );
    return isThere && changed?.label === change.label && changed.path === change.path ? [index] : [];
  });
  return {
    name,
    stated: inSentence || at.length > 0,
    changes: inSentence ? at.filter((index) => changes[index]?.before === undefined) : [],
  };
}

/** A change that only removes may be folded, so it states nothing. */
const sidesOf = ({ after }: Change): readonly ('before' | 'after')[] => (after === undefined ? [] : ['before', 'after']);

interface Described {
  sentence: string;
  changes: readonly Change[];
}

/** The sentence names what an id stands for: with all other arguments changed it still does, and without the id it does not. */
async function namesId(id: string, args: Readonly<Arguments>, sentence: string, options: Options): Promise<boolean> {
  const alone = await describe(others(args, id), options, { sentence: true, changes: false }, id);
  const objects = objectsIn(sentence).filter((object) => objectsIn(alone.sentence ?? '').includes(object));
  if (objects.length === 0) return false;
  // A tool that has to ask a server is not sent to look for what does not exist: there it counts that the id was read.
  if (alone.waits.sentence) return alone.reads.sentence;
  const without = await describe({ [id]: otherValue(own(args, id)) }, options, { sentence: true, changes: false });
  return objects.some((object) => !objectsIn(without.sentence ?? '').includes(object));
}

/** The sentence says how many, and what would change names each of them by something else than its id. */
function areNamed(ids: readonly string[], { sentence, changes }: Described): boolean {
  return (
    ids.length > 0 &&
    changes.length === ids.length &&
    stands(String(ids.length), sentence) &&
    changes.every(({ label }) => !ids.includes(label))
  );
}

async function namesEach(list: string, args: Readonly<Arguments>, { changes }: Described, options: Options): Promise<boolean> {
  const ids = own(args, list) as string[];
  const alone = await describe(others(args, list), options, { sentence: true, changes: true }, list);
  if (alone.changes?.length !== ids.length || !stands(String(ids.length), alone.sentence ?? '')) return false;
  if (!changes.every(({ label }, at) => label === alone.changes?.[at]?.label)) return false;
  if (alone.waits.changes) return alone.reads.changes;
  const without = await describe({ [list]: otherValue(ids) }, options, { sentence: false, changes: true });
  return changes.every(({ label }, at) => label !== without.changes?.[at]?.label);
}

/** Other values for all arguments but one. */
const others = (args: Readonly<Arguments>, but: string): Arguments =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, name === but ? value : (otherValue(value) ?? value)]));

/** Asks the tool once more, with some arguments changed. It may fail: then nothing is proved by it. */
async function describe(
  change: Readonly<Arguments>,
  { tool, args, context, limit, stop }: Options,
  wanted: { sentence: boolean; changes: boolean },
  watched?: string,
): Promise<Description> {
  const description: Description = { reads: { sentence: false, changes: false }, waits: { sentence: false, changes: false } };
  const { describeCall, preview } = tool;

  async function ask(what: 'sentence' | 'changes', work: (args: Arguments, context: ToolContext) => unknown) {
    const given = args();
    if (!isObject(given)) return undefined;
    for (const [name, value] of Object.entries(change)) Object.defineProperty(given, name, { ...PLAIN, value });
    if (watched !== undefined) {
      const value = own(given, watched);
      const get = () => {
        description.reads[what] = true;
        return value;
      };
      Object.defineProperty(given, watched, { enumerable: true, configurable: true, get });
    }
    const ending = await runLimited(
      (signal) => {
        const answer = work(given as Arguments, context(signal));
        description.waits[what] = typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function';
        return answer;
      },
      { ms: limit, stop },
    );
    return ending.how === 'done' ? ending.value : undefined;
  }

  const [sentence, changes] = await Promise.all([
    wanted.sentence && describeCall && ask('sentence', (own, about) => describeCall(own, about)),
    wanted.changes && preview && ask('changes', (own, about) => preview(own, about)),
  ]);
  description.sentence = sentenceOf(sentence);
  if (Array.isArray(changes)) description.changes = changes.slice(0, CHANGES).flatMap(readChange);
  return description;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };

/**
 * Another value of the same shape, so that a tool that looks at the shape still answers; `undefined` where there is none. Marks become letters:
 * what is left of a value must not quote anything.
 */
function otherValue(value: unknown): unknown {
  const other = replaced(value);
  return valueText(other) === valueText(value) ? undefined : other;
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONG ? 'q'.repeat(value.length) : [...value].map(otherCharacter).join('');
  if (typeof value === 'number') return Number.isFinite(value) ? Number(rotated(String(value))) : value;
  if (Array.isArray(value)) return value.map(replaced);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner)]));
  return value;
}

const LETTERS = 'qzvkxjwy';

function otherCharacter(character: string, at: number): string {
  if (/[\s_.:/@,-]/.test(character)) return character;
  if (/[0-9]/.test(character)) return rotated(character);
  const letter = LETTERS.charAt(at % LETTERS.length);
  return letter === character ? 'g' : letter;
}

/** No digit becomes 0, which a number could not begin with, and none stays. */
const rotated = (digits: string): string => digits.replace(/\d/g, (digit) => String((Number(digit) % 9) + 1));

/** True if a sentence has a text as a whole: `5` is not in `15`, in `5.5` or in `5th`. */
function stands(text: string, sentence: string): boolean {
  if (text.length > 200) return false;
  for (let at = sentence.indexOf(text); at !== -1 && text !== ''; at = sentence.indexOf(text, at + 1))
    if (isEdge(sentence.slice(0, at).at(-1)) && isEdge(sentence.slice(at + text.length).replace(/^[.,]$/, '')[0])) return true;
  return false;
}

const isEdge = (character: string | undefined): boolean =>
  character === undefined || /[\s“”„«»"「」『』（）()\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。、：]/u.test(character);
