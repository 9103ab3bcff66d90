/**
 * Finds the arguments of a call that its sentence or its changes really state, so that the card may fold them. A text in a sentence proves
 * nothing, because another argument may have produced it. So the tool describes the call again with another value of one argument, and that
 * value has to appear exactly where the first one was. Arguments that cannot be proved stay visible.
 */
import type { Change, Stated } from '../model/calls.js';
import { isObject, own } from '../base/objects.js';
import { valueText } from '../base/value-text.js';
import { isId, isListOfIds, isPlainId, objectsIn } from '../model/sentence-objects.js';
import { CHANGES, readChange, sentenceOf, type DescribeOptions } from './describe-call.js';
import { withDeadline } from './with-deadline.js';
import { toolContext, type CheckedCall, type PrepareDeps } from './prepare.js';
import type { ToolContext } from './tool.js';

/** Maximum number of arguments that are tried; the others stay visible. */
const MOST = 8;
/** Maximum milliseconds for another description. */
const LIMIT = 1000;
/** Minimum characters of a number that can be stated: a shorter one could be any other number. */
const LEAST_NUMBER = 4;
/** Length above which the shape of a text is not preserved, because no sentence states such a text. */
const LONG = 1000;
/** A text with quotation marks or line breaks is ambiguous in a sentence. */
const UNCLEAR = /["“”„«»「」『』\n]/;

type Arguments = Record<string, unknown>;
type Options = Pick<DescribeOptions, 'tool' | 'args' | 'context' | 'stop'> & { limit: number };

interface Description {
  sentence?: string | undefined;
  changes?: readonly Change[] | undefined;
  /** True if the watched argument was read to produce it. */
  reads: { sentence: boolean; changes: boolean };
  /** True if the tool answered asynchronously. */
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
      isStated(text(name), sentence) ||
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
    ...candidates.slice(0, MOST).map((name) => findStatedPlaces(name, call.args, described, options)),
    id !== undefined && objectsIn(sentence).length > 0 && namesId(id, given, sentence, options),
    list !== undefined && namesEach(list, given, described, options),
  ]);
  const places = results.filter((result): result is StatedPlaces => typeof result === 'object');
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

/** Returns the arguments that the tool gets as they are shown: a schema may have transformed others. */
function sameArguments(shown: Readonly<Arguments>, given: Readonly<Arguments>): string[] {
  return Object.keys(shown).filter((name) => {
    const [one, other] = [own(shown, name), own(given, name)];
    return typeof one === typeof other && valueText(one) === valueText(other);
  });
}

interface StatedPlaces {
  name: string;
  stated: boolean;
  /** Indexes of changes without a previous value that the sentence states by this argument. */
  changes: number[];
}

/** Finds the places of one argument: in the sentence, or in a change. */
async function findStatedPlaces(name: string, args: Readonly<Arguments>, described: Described, options: Options): Promise<StatedPlaces> {
  const value = own(args, name);
  const other = otherValue(value);
  const [text, otherText] = [valueText(value), valueText(other)];
  const { sentence, changes } = described;
  const again = await describe({ [name]: other }, options, { sentence: true, changes: changes.length > 0 });
  const inSentence =
    again.sentence !== undefined &&
    !UNCLEAR.test(text) &&
    isStated(text, sentence) &&
    isStated(otherText, again.sentence) &&
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

/** Returns the sides of a change to compare. A change that only removes may be folded, so it states nothing. */
const sidesOf = ({ after }: Change): readonly ('before' | 'after')[] => (after === undefined ? [] : ['before', 'after']);

interface Described {
  sentence: string;
  changes: readonly Change[];
}

/** Checks that the sentence names the object of an id: it still does if all other arguments change, and no longer if the id changes. */
async function namesId(id: string, args: Readonly<Arguments>, sentence: string, options: Options): Promise<boolean> {
  const alone = await describe(others(args, id), options, { sentence: true, changes: false }, id);
  const objects = objectsIn(sentence).filter((object) => objectsIn(alone.sentence ?? '').includes(object));
  if (objects.length === 0) return false;
  // A tool that asks a server is not called with an id that does not exist. For it, reading the id is enough.
  if (alone.waits.sentence) return alone.reads.sentence;
  const without = await describe({ [id]: otherValue(own(args, id)) }, options, { sentence: true, changes: false });
  return objects.some((object) => !objectsIn(without.sentence ?? '').includes(object));
}

/** Checks that the sentence states their number, and that each change names its object by something other than its id. */
function areNamed(ids: readonly string[], { sentence, changes }: Described): boolean {
  return (
    ids.length > 0 &&
    changes.length === ids.length &&
    isStated(String(ids.length), sentence) &&
    changes.every(({ label }) => !ids.includes(label))
  );
}

async function namesEach(list: string, args: Readonly<Arguments>, { changes }: Described, options: Options): Promise<boolean> {
  const ids = own(args, list) as string[];
  const alone = await describe(others(args, list), options, { sentence: true, changes: true }, list);
  if (alone.changes?.length !== ids.length || !isStated(String(ids.length), alone.sentence ?? '')) return false;
  if (!changes.every(({ label }, at) => label === alone.changes?.[at]?.label)) return false;
  if (alone.waits.changes) return alone.reads.changes;
  const without = await describe({ [list]: otherValue(ids) }, options, { sentence: false, changes: true });
  return changes.every(({ label }, at) => label !== without.changes?.[at]?.label);
}

/** Returns other values for all arguments but one. */
const others = (args: Readonly<Arguments>, but: string): Arguments =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, name === but ? value : (otherValue(value) ?? value)]));

/** Asks the tool for another description, with some arguments changed. If it fails, nothing is proved. */
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
    const ending = await withDeadline(
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
 * Returns another value of the same shape, so that a tool that checks the shape still answers; `undefined` if there is none. Other
 * characters, such as quotation marks, become letters, because the new value must not quote anything.
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

/** Replaces each digit by another one, never by 0, since a number cannot begin with it. */
const rotated = (digits: string): string => digits.replace(/\d/g, (digit) => String((Number(digit) % 9) + 1));

/** Returns true if a sentence contains a text as a whole word: `5` is not in `15`, in `5.5` or in `5th`. */
function isStated(text: string, sentence: string): boolean {
  if (text.length > 200) return false;
  for (let at = sentence.indexOf(text); at !== -1 && text !== ''; at = sentence.indexOf(text, at + 1))
    if (isEdge(sentence.slice(0, at).at(-1)) && isEdge(sentence.slice(at + text.length).replace(/^[.,]$/, '')[0])) return true;
  return false;
}

const isEdge = (character: string | undefined): boolean =>
  character === undefined || /[\s“”„«»"「」『』（）()\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。、：]/u.test(character);
