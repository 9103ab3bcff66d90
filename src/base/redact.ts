/** Removes secrets and personal data from text and data before any sink gets them. */
import { cutText } from './cut-text.js';
import { toPlain } from './plain.js';

const HIDDEN = '[hidden]';

/** The maximum length of one string in a log, in UTF-16 units. */
const STRING_LIMIT = 4000;

// Every quantifier is bounded or followed by nothing that can fail, so each pattern is linear in the text.
const KEY = /(?<![A-Za-z0-9])(?:sk-|gh[pousr]_|xox[baprs]-|AKIA|AIza)[\w-]{6,}/g;
const TOKEN = /\b(bearer {1,4}[\w.~+/=-]{8,}|basic {1,4}[\w+/=-]{16,})/gi;
const JWT = /(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{4,2000}(?:\.[\w-]{0,2000})?/g;
const NAMED =
  /((?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?token|token|密码|密钥)["']?\s{0,3}[:=：]\s{0,3}["']?)[^\s"',;&<>]{1,500}/gi;
const CREDENTIALS = /:\/\/[^\s/@:]{1,100}:[^\s/@]{1,100}@/g;
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
const DIGITS = /(?<![\w.-])\+?\(?\d(?:[ ().-]{0,2}\d){6,18}(?![\w])/g;

/** Replaces keys, tokens, passwords in `name: value` form, e-mail addresses, phone and card numbers. */
export function redactText(text: string): string {
  let result = text;
  if (result.length > STRING_LIMIT) {
    result = cutText(result, STRING_LIMIT);
    // The cut may have split a secret, and half a secret matches no pattern, so the incomplete last word is removed, too.
    result = `${result.slice(0, Math.max(result.lastIndexOf(' '), result.lastIndexOf('\n'), STRING_LIMIT - 512))}…`;
  }
  return hideSecrets(result);
}

/** Replaces the same secrets without a limit of length, for text that is read again. */
export function hideSecrets(text: string): string {
  return text
    .replace(KEY, '[key]')
    .replace(TOKEN, '[token]')
    .replace(JWT, '[token]')
    .replace(CREDENTIALS, '://[hidden]@')
    .replace(NAMED, `$1${HIDDEN}`)
    .replace(EMAIL, '[email]')
    .replace(DIGITS, number);
}

/** Returns redacted, bounded plain data. `also` maps every string after the built-in patterns. */
export function redactData(value: unknown, also?: (text: string) => string): unknown {
  return toPlain(value, {
    depth: 8,
    nodes: 1000,
    chars: 20_000,
    text: also ? (text) => also(redactText(text)) : redactText,
    replace: (key, field) => (isPrivateName(key, field) ? HIDDEN : undefined),
  });
}

const SECRET_WORDS = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apikey',
  'authorization',
  'cookie',
  'credential',
  'privatekey',
];
const SECRET_NAMES = new Set(['pwd', 'pin', 'otp', 'cvv', 'cvc', 'ssn', 'auth', '密码', '密钥']);
const PERSONAL_NAMES = new Set(['email', 'phone', 'mobile', '手机', '邮箱']);

const plainName = (key: string): string => key.toLowerCase().replace(/[\s_-]/g, '');

/** Checks whether the value of a field is kept out of logs. */
const isPrivateName = (key: string, value: unknown): boolean => PERSONAL_NAMES.has(plainName(key)) || isSecretName(key, value);

/** Checks whether the value of a field is kept out of logs and files: a key, a password. */
export function isSecretName(key: string, value: unknown): boolean {
  const name = plainName(key);
  if (SECRET_NAMES.has(name)) return true;
  // Counts such as `maxTokens` are not secrets.
  return typeof value !== 'number' && SECRET_WORDS.some((word) => name.includes(word));
}

function number(text: string): string {
  const digits = text.replace(/\D/g, '');
  if (digits.length >= 13 && digits.length <= 19 && luhn(digits)) return '[card]';
  if (/^\(?\d{4}-\d{2}-\d{2}/.test(text)) return text;
  return text.startsWith('+') || (digits.length >= 10 && digits.length <= 15) ? '[phone]' : text;
}

function luhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    sum += index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
