/** Values that may leave in no request, and what looks for them in all of its parts, as they are and as they may be written there. */
import type { ConversationOptions } from '../../../src/conversation/conversation.js';

/** None of them stands in any other file. */
export const CANARIES = {
  mail: 'kanarienvogel.anna@canary-cage.example',
  phone: '+49 1573 5550 199',
  card: '5105 1051 0510 5100',
  iban: 'GB82 WEST 1234 5698 7654 32',
  name: 'Zoë "Canary" <Vogel & Söhne>',
} as const;

/** How a page names exactly these: by pattern, by value, and by a function. */
export const canaryRules = [
  { name: 'canary_mail', pattern: /kanarienvogel\.[a-z]{1,20}@canary-cage\.example/ },
  { name: 'canary_phone', values: [CANARIES.phone] },
  { name: 'canary_card', pattern: /5105[ -]?1051[ -]?0510[ -]?5100/ },
  { name: 'canary_iban', values: () => [CANARIES.iban] },
  { name: 'canary_name', values: [CANARIES.name] },
] satisfies ConversationOptions['privateValues'];

/** All of them in one line. */
export const flock = `Canaries: ${Object.values(CANARIES).join(', ')}. Fled`;

/** The line as it may leave: with a token in place of each. Also where it is JSON. */
export const HIDDEN_FLOCK = /(?:\\n|\s)*Canaries: (?:\[CANARY_[A-Z]+_\d+\](?:, )?){5}\. Fled/g;

export interface Outgoing {
  url: string;
  /** As text or as `fetch` takes them. */
  headers?: unknown;
  body?: unknown;
}

/** Which values stand in the request, and in which of its parts. */
export function canariesIn({ url, headers, body }: Outgoing): string[] {
  const parts = { url, headers: textOf(headers), body: textOf(body) };
  return Object.entries(parts).flatMap(([part, text]) => {
    const texts = [...new Set([text, decoded(text)])].map((one) => one.toLowerCase());
    return needles
      .filter(({ forms }) => forms.some((form) => texts.some((one) => one.includes(form))))
      .map(({ name }) => `${name} in ${part}`);
  });
}

/** Half of a value is found, too: a text may have been cut within it. */
const PIECE = 11;

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const inHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Without what depends on the bytes before and behind it, for each of the three places where it may begin. */
function base64(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].map((before) => {
    const whole = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes));
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

const needles = Object.entries(CANARIES).map(([name, value]) => {
  const pieces = [value, value.slice(0, PIECE), value.slice(-PIECE), value.replaceAll(' ', '')];
  const plain = pieces.flatMap((text) => [text, inHtml(text), text.replaceAll(' ', '-')]);
  const json = plain.map(inJson);
  const written = [...plain, ...json, ...json.map(inJson)];
  const forms = [...written, ...written.map(encodeURIComponent), ...written.map((text) => encodeURIComponent(text).replaceAll('%20', '+'))];
  const encoded = [value, value.replaceAll(' ', '')].flatMap((text) => [text, inJson(text)]).flatMap(base64);
  const urlSafe = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const all = [...new Set([...forms, ...encoded, ...urlSafe].map((text) => text.toLowerCase()))];
  // What holds another form is found by that one.
  return { name, forms: all.filter((form) => !all.some((other) => other !== form && form.includes(other))) };
});

function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (part instanceof URLSearchParams) return part.toString();
  if (part instanceof Headers) return JSON.stringify([...part]);
  if (part instanceof ArrayBuffer || ArrayBuffer.isView(part)) return new TextDecoder().decode(part);
  return JSON.stringify(part) ?? '';
}

/** What URLs and `\u00e9` say. */
function decoded(text: string): string {
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

export interface Watch {
  /** Requests that were looked at. */
  looked: number;
  /** Of them, those in which a token stands for a canary. */
  hidden: number;
  /** What was found, and in which test; taken away by whoever says so. */
  leaks: string[];
}

const KEY = Symbol.for('tool-chat canaries');

/** One for each process, or page. */
export const watchOf = (): Watch => ((globalThis as { [KEY]?: Watch })[KEY] ??= { looked: 0, hidden: 0, leaks: [] });

/** Notes what leaves and is private. */
export function seek(outgoing: Outgoing): void {
  const found = canariesIn(outgoing);
  if (found.length > 0) watchOf().leaks.push(`${found.join(', ')} of a request to ${outgoing.url}: ${textOf(outgoing.body).slice(0, 200)}`);
}

/** The same of a conversation that was told of the canaries: it has tokens in their place. */
export function look(outgoing: Outgoing): void {
  const now = watchOf();
  now.looked += 1;
  if (/\[CANARY_[A-Z]+_\d+\]/.test(textOf(outgoing.body))) now.hidden += 1;
  seek(outgoing);
}
