/**
 * Suggests the grants that a card offers for its call, and writes their sentences. The narrower come first. Arguments that cannot be bound,
 * because they are free text or must not be stored, are said to be free; this is never offered for a call that could do harm.
 */
import type { Call } from '../model/calls.js';
import { labelWithHost } from '../model/label-with-host.js';
import type { Grant, GrantCondition, GrantSuggestion, GrantTerms } from '../model/grants.js';
import type { Texts } from '../i18n/en.js';
import type { SchemaModel } from '../model/schema-model.js';
import { cutText } from '../base/cut-text.js';
import { canonicalJson } from './digest.js';
import { partsAt, rootParts, valuesOf } from './schema-parts.js';
import { parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';

/** The key in `where` for every argument without its own condition. */
export const OTHERS = '*';

/** Number of further calls that a limited grant allows, until the end of the day. */
export const MAX_USES = 5;

/** Maximum UTF-16 units of the canonical JSON of arguments in a grant; larger ones are not stored. */
const KEPT_CHARS = 4000;

/** Maximum length of a text that counts as a value. A longer one, or one with several lines, counts as free text. */
const SHORT_TEXT = 80;

/** Maximum number for which a limit is suggested; larger ones are not amounts. */
const LARGEST_AMOUNT = 1_000_000_000;

export interface SuggestOptions {
  /** True if grants outlive the session: `storage` is `indexeddb`. Default: false. */
  lasting?: boolean;
  /** Milliseconds since the epoch. Default: `Date.now()`. */
  now?: number;
}

/**
 * Returns at most three suggestions; none if the answer must not be remembered. Deterministic: an index identifies a suggestion, as long as
 * the list is computed once per call.
 */
export function suggestGrants(
  call: Pick<Call, 'label' | 'toolHost' | 'risk' | 'args' | 'flags' | 'taintedBy'>,
  tool: ToolDefinition,
  texts: Texts,
  { lasting = false, now = Date.now() }: SuggestOptions = {},
): GrantSuggestion[] {
  if (!mayBeRemembered(call)) return [];
  const harmful = call.risk !== 'query' && call.risk !== 'write';
  // A call that follows untrusted content says nothing about the next call of the tool.
  const wide = !harmful && !call.taintedBy;
  const exact = exactConditions(call.args, tool);
  const limited = wide ? rangeConditions(call.args, tool) : undefined;
  const whole = wide ? {} : undefined;

  const offers: (GrantTerms | undefined)[] = [
    exact && { scope: 'session', where: exact },
    limited && { scope: 'session', where: limited, left: MAX_USES, expiresAt: endOfDay(now) },
    whole && { scope: 'session', where: whole },
  ];
  if (lasting) {
    const always = whole ?? exact;
    if (exact && limited && whole) offers[0] = undefined; // the limited grant includes it, and three choices are enough
    if (always) offers.push({ scope: 'always', where: always });
  }
  return offers
    .filter((offer) => offer !== undefined)
    .map((terms) => ({ ...terms, sentence: grantSentence(terms, labelWithHost(call, texts), texts, now) }));
}

/**
 * Checks whether the answer to a call may be remembered. It may not if the call is quoted or has a flag that requires approval, or if it
 * may do harm and follows untrusted content.
 */
export function mayBeRemembered({ risk, flags = [], taintedBy }: Pick<Call, 'risk' | 'flags' | 'taintedBy'>): boolean {
  if (flags.some((flag) => flag !== 'repaired' && flag !== 'duplicate_key')) return false;
  return !taintedBy || risk === 'query' || risk === 'write';
}

type Where = Grant['where'];

/** The condition that allows no further arguments. */
const none = (): GrantCondition => ({ oneOf: [] });

/** Returns conditions for exactly this call; `undefined` if an argument must not be stored. */
function exactConditions(args: Call['args'], tool: ToolDefinition): Where | undefined {
  const names = Object.keys(args);
  if (names.includes(OTHERS) || names.some((name) => isSensitive(tool, name))) return undefined;
  if (canonicalJson(args).length > KEPT_CHARS) return undefined;
  return { ...Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { equals: value }])), [OTHERS]: none() };
}

/**
 * Returns conditions for similar calls: amounts up to a round number, any free text, and all other arguments as they are. `undefined` if
 * that covers only this call.
 */
function rangeConditions(args: Call['args'], tool: ToolDefinition): Where | undefined {
  const root = parametersOf(tool);
  const conditionFor = (name: string, value: unknown): GrantCondition => {
    const declared = root ? partsAt(rootParts(root), name) : [];
    if (isSensitive(tool, name) || isFreeText(name, value, declared)) return {};
    return rangeAround(name, value, declared) ?? { equals: value };
  };
  const where: Where = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, conditionFor(name, value)]));
  const conditions = Object.values(where);
  const bound = conditions.filter((condition) => Object.keys(condition).length > 0);
  const kept = bound.every((condition) => canonicalJson(condition).length <= KEPT_CHARS);
  if (Object.hasOwn(where, OTHERS) || bound.length === 0 || !kept) return undefined;
  if (conditions.every((condition) => Object.hasOwn(condition, 'equals'))) return undefined;
  return { ...where, [OTHERS]: none() };
}

function isSensitive({ sensitive = false }: ToolDefinition, name: string): boolean {
  return sensitive === true || (Array.isArray(sensitive) && sensitive.includes(name));
}

function isFreeText(name: string, value: unknown, declared: readonly SchemaModel[]): boolean {
  if (typeof value !== 'string' || (value.length <= SHORT_TEXT && !value.includes('\n'))) return false;
  // An ASCII text without blanks is an address, a path or a key.
  if (/^[!-~]*$/.test(value)) return false;
  return !isIdentifierName(name) && declared.every((part) => part['format'] === undefined && valuesOf(part).length === 0);
}

function rangeAround(name: string, value: unknown, declared: readonly SchemaModel[]): GrantCondition | undefined {
  if (typeof value !== 'number' || value === 0 || Math.abs(value) > LARGEST_AMOUNT || isIdentifierName(name)) return undefined;
  if (declared.some((part) => valuesOf(part).length > 0) || !declared.some(isQuantity)) return undefined;
  const bound = roundUp(Math.abs(value));
  return value > 0 ? { min: 0, max: bound } : { min: -bound, max: 0 };
}

const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/**
 * Checks whether a number is an amount. Its storage format says nothing about that, nor do the bounds that some validators give every
 * integer.
 */
function isQuantity(declared: SchemaModel): boolean {
  const { format } = declared;
  if (typeof format === 'string' && !/^u?int(?:\d+)?$/.test(format)) return true;
  return LIMITS.some((name) => {
    const limit = declared[name];
    if (typeof limit !== 'number' || Math.abs(limit) >= Number.MAX_SAFE_INTEGER) return false;
    return name !== 'multipleOf' || limit !== 1;
  });
}

/** Rounds up to the next 1, 2 or 5 followed by zeros. */
function roundUp(value: number): number {
  const power = Math.floor(Math.log10(value));
  // Parsed from text, because a product with a power of ten is not always exact.
  return [1, 2, 5, 10, 20].map((step) => Number(`${step}e${power}`)).find((round) => round >= value) ?? value;
}

/** Names of parameters that identify something. Their values are not amounts. */
const IDENTIFIER_WORDS =
  /(?:^|_)(?:ids?|user|owner|customer|member|recipient|uuid|guid|key|code|pin|zip|port|no|nr|number|index|row|line|page|version|year|month|day|date|time|timestamp|at|lat|latitude|lng|lon|longitude|account|phone|path|file|filename|folder|dir|url|uri|href|link|email|name)(?:_|$)|号|路径|网址|年|月|日|时间/;

function isIdentifierName(name: string): boolean {
  return IDENTIFIER_WORDS.test(
    name
      .replace(/([a-z\d])([A-Z])/g, '$1_$2')
      .replaceAll('-', '_')
      .toLowerCase(),
  );
}

function endOfDay(now: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}

/** Describes exactly what is granted, in the user's language. `label` is the tool's label, with the host of an external tool. */
export function grantSentence({ scope, where, left, expiresAt }: GrantTerms, label: string, texts: Texts, now = Date.now()): string {
  const named = Object.entries(where).filter(([name]) => name !== OTHERS);
  const closed = named.length < Object.keys(where).length;
  const exact = closed && named.every(([, condition]) => Object.keys(condition).join() === 'equals');
  const conditions = named.map(([name, condition]) => conditionText(nameText(name), condition, texts)).join(texts.grantComma);
  const limits = [
    left === undefined ? '' : texts.grantTimes(left),
    expiresAt === undefined ? '' : expiresAt === endOfDay(now) ? texts.grantToday : texts.grantUntil(timeText(expiresAt)),
    scope === 'always' ? texts.grantAlways : texts.grantSession,
  ];
  const what =
    named.length === 0
      ? closed
        ? texts.grantBare(label)
        : texts.grantEvery(label)
      : (exact ? texts.grantExactly : closed ? texts.grantOnly : texts.grantOpen)(label, conditions);
  return texts.grantWithLimits(what, limits.filter(Boolean).join(texts.grantComma));
}

function conditionText(name: string, condition: GrantCondition, texts: Texts): string {
  const { equals, oneOf, min, max } = condition;
  const words = [
    Object.hasOwn(condition, 'equals') ? texts.grantEquals(name, valueText(equals, texts)) : '',
    oneOf ? texts.grantOneOf(name, oneOf.map((one) => valueText(one, texts)).join(' / ') || '–') : '',
    min !== undefined && max !== undefined ? texts.grantBetween(name, String(min), String(max)) : '',
    min !== undefined && max === undefined ? texts.grantAtLeast(name, String(min)) : '',
    max !== undefined && min === undefined ? texts.grantUpTo(name, String(max)) : '',
  ].filter(Boolean);
  return words.length === 0 ? texts.grantAny(name) : words.join(texts.grantAnd);
}

/** Writes a value as JSON, whose content cannot forge its end. */
function valueText(value: unknown, texts: Texts): string {
  const json = canonicalJson(value);
  if (json.length <= SHORT_TEXT + 2) return json;
  const start = typeof value === 'string' ? JSON.stringify(cutText(value, SHORT_TEXT)) : cutText(json, SHORT_TEXT);
  return `${start}… (${texts.characters(typeof value === 'string' ? value.length : json.length)})`;
}

/** Quotes a parameter's name, because the model chooses the names in an open schema. */
function nameText(name: string): string {
  return /^[\p{L}\p{N}_.-]{1,64}$/u.test(name) ? `\`${name}\`` : JSON.stringify(cutText(name, 64));
}

/** Formats a time in local time as `YYYY-MM-DD HH:MM`. */
function timeText(time: number): string {
  const date = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
