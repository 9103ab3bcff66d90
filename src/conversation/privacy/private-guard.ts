/**
 * Replaces private values in everything that leaves the page with tokens: the values that the page names in `privateValues`, and arguments
 * that a tool declares `sensitive`. Loaded with the first of either. If any part of the setting cannot be read, nothing is sent.
 */
import { isObject, own } from '../../base/objects.js';
import { fullEnglish } from '../../i18n/en.js';
import { inLanguage } from '../../protocols/render-tool-docs.js';
import { HIDDEN } from '../../tools/sensitive.js';
import type { CallRecord, ConversationEvent, ReplyInput } from '../chart/chart-context.js';
import type { Guard, Reader } from '../chart/private-values.js';
import { toolNamed, type Chart, type ConversationServices } from '../chart/services.js';
import type { ReadPage } from '../options/option-shapes.js';
import { between, createFinder, type Finder, type Known } from './find-values.js';
import { mapTexts, detokenize, showValues, tellValues } from './detokenize.js';
import { createVault } from './vault.js';
import type { PublishedResult } from '../../model/calls.js';
import { resultText } from '../../tools/result.js';
import { boundedPattern } from './bounded-pattern.js';
import { builtInKinds, type Kind } from './kinds.js';

fullEnglish();

const aside = {
  zh: '部分内容以方括号标记代替，由类别和数字组成，例如 [KIND_7]。每个标记代表一个你看不到的私密内容。在调用工具和回答中，需要该内容之处请原样写出标记，不要自行编造标记。',
  en: 'Some values are written as tokens in brackets, a kind and a number, such as [KIND_7]. Each stands for one private value that you do not see. Write the token unchanged wherever the value is meant, in calls and in answers, and make up none.',
};

/** The part of the prompt builder that is needed here. */
export interface Prompter {
  readonly asides: Set<(input: Pick<ReplyInput, 'turn' | 'messages'>) => Promise<string>>;
}

/** Shorter values of sensitive arguments would occur in every text. UTF-16 units. */
const SHORTEST_SECRET = 4;

export function createGuard(chart: Chart, services: ConversationServices, speaker: Prompter, readPage: () => ReadPage | undefined): Guard {
  const { settings, notices, log, emit, registry } = services;
  const vault = createVault();
  /** Values found in arguments and results of calls. */
  const learnt = new Map<string, Known>();
  const looked = new WeakSet<CallRecord>();
  let broken = '';

  const valueOf = (token: string) => vault.valueOf(token);
  const restore = <Value>(value: Value): Value => (vault.size === 0 ? value : detokenize(value, valueOf));

  function rulesNow(): Rules & { values: Known[] } {
    try {
      const rules = readRules(settings().privateValues, readPage());
      const values = rules.literals().map(({ name, value }) => ({ kind: name, value }));
      if (broken) notices.remove('private');
      broken = '';
      return { ...rules, values };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== broken) log.error('private.unreadable', 'Private values cannot be read, so nothing is sent', { why });
      broken = why;
      notices.add({ id: 'private', text: ({ privateUnreadable }) => privateUnreadable(why) });
      throw error;
    }
  }

  /** A model could pass such a word as a secret, and no later request could name a tool or teach how to call one. */
  const isPublic = (text: string) => {
    const word = text.toLowerCase();
    return WIRE_WORDS.has(word) || registry.names().some((name) => name.toLowerCase().includes(word));
  };

  function learn(find: Finder): void {
    for (const call of chart.getSnapshot().context.calls) {
      if (looked.has(call)) continue;
      looked.add(call);
      const { sensitive = false } = toolNamed(chart, services, call.toolName) ?? { sensitive: call.withheld };
      const note = (known: Known) => void (learnt.has(known.value) || learnt.set(known.value, known));
      const look = (value: unknown, kind?: string) => void mapTexts(value, noteIn(kind), (number) => noteIn(kind)(String(number)));
      const noteIn = (kind: string | undefined) => (text: string) => {
        if (kind === undefined) for (const found of find(text)) note({ kind: found.kind, value: found.value });
        else if (text.length >= SHORTEST_SECRET && text !== HIDDEN && !isPublic(text)) note({ kind, value: text, secret: true });
        return text;
      };
      for (const args of [call.params, call.original, call.call?.args])
        for (const [name, value] of Object.entries(args ?? {}))
          look(value, sensitive === true || (sensitive && sensitive.includes(name)) ? kindOf(name) : undefined);
      look(call.result?.data);
    }
  }

  /** Returns functions that replace all values known now. */
  function hiding(): { text(text: string): string; number(value: number): string | number } {
    const { kinds, values } = rulesNow();
    learn(createFinder([], kinds));
    const known = new Map<string, Known>();
    for (const one of [...vault.values(), ...learnt.values(), ...values]) if (!known.has(one.value)) known.set(one.value, one);
    const whole = createFinder(known.values(), kinds);
    const parts = chart.getSnapshot().context.calls.flatMap(({ result }) => (result && partAtCut(result, whole)) ?? []);
    const find = parts.length > 0 ? createFinder([...known.values(), ...parts], kinds) : whole;
    function text(given: string): string {
      let out = '';
      for (const { piece, token } of between(given, (one) => vault.valueOf(one) !== undefined)) {
        let at = 0;
        for (const { start, end, value, kind, secret } of find(piece)) {
          out += piece.slice(at, start) + vault.tokenOf(value, kind, secret);
          at = end;
        }
        out += piece.slice(at) + token;
      }
      return out;
    }
    return { text, number: (value) => (known.has(String(value)) ? text(String(value)) : value) };
  }

  function tokenize<Value>(value: Value): Value {
    const before = vault.size;
    const { text, number } = hiding();
    mapTexts(value, reserve);
    const out = isObject(value) ? tokenizeBody(value, text, number) : mapTexts(value, text);
    if (vault.size !== before) emit('kept');
    return out as Value;
  }

  const reserve = (text: string) => {
    vault.reserve(text);
    return text;
  };

  function watchForTheEnd() {
    let had = false;
    return chart.subscribe(({ context: { messages, calls } }) => {
      const has = messages.length > 0 || calls.length > 0;
      if (had && !has) {
        vault.load(undefined);
        learnt.clear();
      }
      had = has;
    });
  }
  watchForTheEnd();
  speaker.asides.add(({ turn }) => {
    const { privateValues, promptOptions, lang } = turn.settings;
    const isDue = (Array.isArray(privateValues) && privateValues.length > 0) || vault.size > 0;
    return Promise.resolve(isDue ? inLanguage(promptOptions.lang ?? lang, aside.zh, aside.en) : '');
  });

  return {
    kept: vault,
    ...{ tokenize, detokenize: restore, hider: () => hiding().text },
    async send(request, look) {
      // The JSON form is searched, because it is what will be sent.
      const plain = (body: unknown) => tokenize(JSON.parse(JSON.stringify(body ?? null)) as unknown);
      const sent = { ...request, body: plain(request.body) };
      if (!look) return sent;
      const seen = await look(sent);
      return seen && { ...seen, body: plain(seen.body) };
    },
    reading<Reading extends Reader>(reading: Reading, sendBack: (event: ConversationEvent) => void) {
      let onText = () => {};
      const open = (messageId: string) => {
        const shown = showValues(reading.arriving.open(messageId), valueOf, (text) => reading.onText(text));
        ({ onText } = shown);
        return shown.live;
      };
      const arriving = Object.create(reading.arriving, { open: { value: open } }) as Reading['arriving'];
      return [
        {
          ...{ ...reading, arriving },
          onText: () => {
            onText();
          },
          onCall: (call) => reading.onCall({ ...call, params: { ...detokenize(named(call.params), valueOf), ...unnamed(call.params) } }),
        },
        (event) => {
          sendBack(tellValues(event, valueOf));
        },
      ];
    },
  };
}

/** Returns the source text of arguments that came as one string. Its values are not parsed yet, so they are not restored. */
const unnamed = (params: Record<string, unknown>) => (Object.hasOwn(params, '') ? { '': params[''] } : {});
const named = (params: Record<string, unknown>) => Object.fromEntries(Object.entries(params).filter(([name]) => name !== ''));

const kindOf = (name: string): string => {
  const kind = name
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_')
    .slice(0, 24);
  return /^[A-Z]/.test(kind) ? kind : 'SECRET';
};

/**
 * Names and keywords of the provider formats and of our tool-call formats. A private value may equal one of them, and the request has to
 * stay valid.
 */
const WIRE_WORDS = new Set(
  (
    'messages system role content text parts tools name model user assistant tool developer type id input output function arguments args params ' +
    'parameters properties description config contents instructions required object string number integer boolean array message stream ' +
    'input_text output_text function_call function_call_output tool_use tool_result tool_calls tool_call_id image image_url input_image state ' +
    'status success error result options title items enum default invoke parameter function tool_code tool_request tool_name'
  ).split(' '),
);

/** Fields whose values are keywords of the format. */
const WORDED = new Set(['role', 'type', 'status', 'state']);

/** Fields below which numbers may be private values, too. */
const DATA = new Set(['arguments', 'args', 'input', 'params', 'answers', 'data', 'output']);

function tokenizeBody(body: unknown, text: (text: string) => string, number: (value: number) => unknown): unknown {
  const walk = (value: unknown, inData: boolean, depth: number): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return inData ? number(value) : value;
    if (Array.isArray(value)) return value.map((one) => walk(one, inData, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => {
        const isWord = typeof field === 'string' && WORDED.has(key) && WIRE_WORDS.has(field);
        if (isWord || (depth === 0 && key === 'model')) return [key, field];
        return [WIRE_WORDS.has(key) ? key : text(key), walk(field, inData || DATA.has(key), depth + 1)];
      }),
    );
  };
  return walk(body, false, 0);
}

/**
 * Returns the part of a value that is left at the end of a truncated result, with the first character of the truncation mark, so that it
 * matches only there.
 */
export function partAtCut({ result, ...whole }: PublishedResult, find: Finder): Known | undefined {
  const full = resultText(whole, fullEnglish(), Infinity);
  // A note may precede the text. With little room, only its beginning is there.
  const from = [40, 8, 1].map((length) => result.indexOf(full.slice(0, length))).find((at) => at >= 0) ?? -1;
  if (from < 0 || full.length <= result.length - from) return undefined;
  let cut = 0;
  while (from + cut < result.length && result[from + cut] === full[cut]) cut += 1;
  const value = find(full).find(({ start, end }) => start < cut && end > cut);
  const mark = result.slice(from + cut, from + cut + 1);
  return value && { kind: value.kind, value: full.slice(value.start, cut) + mark, anywhere: mark !== '' };
}

/** Validates the page's `privateValues`. Any part that cannot be read is an error, because then nothing may be sent. */
export interface Rules {
  kinds: readonly Kind[];
  /** Returns the current values. @throws if they cannot be read */
  literals(): { name: string; value: string }[];
}

/** The maximum number of values of one rule. */
const MOST_VALUES = 5000;

/** @throws a `TypeError` that says which entry cannot be used, and why */
export function readRules(given: unknown, readPage: ReadPage | undefined): Rules {
  if (given === undefined || given === false) return { kinds: [], literals: () => [] };
  if (!Array.isArray(given)) throw new TypeError('it takes a list');
  const kinds: Kind[] = [];
  const sources: { name: string; read(): unknown }[] = [];
  for (const entry of given as readonly unknown[]) {
    if (typeof entry === 'string') {
      const kind = own(builtInKinds, entry) as Kind | undefined;
      if (!kind) throw new TypeError(`there is no kind “${entry}”; there are ${Object.keys(builtInKinds).join(', ')}`);
      kinds.push(kind);
      continue;
    }
    if (!isObject(entry)) throw new TypeError('an entry is the name of a kind or an object');
    const { name = 'value', pattern, selector, values } = entry as Record<'name' | 'pattern' | 'selector' | 'values', unknown>;
    if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_]{0,23}$/.test(name))
      throw new TypeError('a name has 1 to 24 letters, digits or “_”');
    const named = name.toUpperCase();
    if (typeof pattern === 'string' || pattern instanceof RegExp) kinds.push({ name: named, pattern: patternOf(pattern, name) });
    else if (typeof selector === 'string') {
      if (!readPage) throw new TypeError(`“${name}” has a selector, and there is no page`);
      sources.push({ name: named, read: () => readPage(selector) });
    } else if (typeof values === 'function' || Array.isArray(values))
      sources.push({ name: named, read: () => (typeof values === 'function' ? (values as () => unknown)() : values) });
    else throw new TypeError(`“${name}” needs a pattern, a selector or values`);
  }
  return {
    kinds,
    literals: () =>
      sources.flatMap(({ name, read }) => {
        const found = read();
        if (!Array.isArray(found) || found.length > MOST_VALUES)
          throw new TypeError(`“${name.toLowerCase()}” gave no list of at most ${MOST_VALUES}`);
        return found.map((value: unknown) => {
          if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`“${name.toLowerCase()}” gave what is no text`);
          return { name, value: String(value).trim() };
        });
      }),
  };
}

function patternOf(pattern: RegExp | string, name: string): RegExp {
  try {
    return boundedPattern(pattern);
  } catch (error) {
    throw new TypeError(`“${name}” is ${error instanceof TypeError ? error.message : 'no pattern'}`);
  }
}
