/** The formats of JSON Schema; one that is not known allows everything. */
import { format as known } from '@cfworker/json-schema';
import { own } from '../base/objects.js';

/** Longest text that can have the form; what else is written so ends sooner. */
const LONGEST = 1_000;

/** These may be as long as they like, and are read once from start to end. */
const LONG = new Set(['uri', 'uri-reference', 'uri-template', 'url', 'json-pointer', 'json-pointer-uri-fragment', 'relative-json-pointer']);

export function isFormat(name: string, text: string): boolean {
  if (name === 'url') return isUrl(text);
  const test = own(known, name) as ((text: string) => boolean) | undefined;
  return !test || ((text.length <= LONGEST || LONG.has(name)) && test(text));
}

/** An address of the public web. The pattern that is known for it goes back over a host's name without end. */
function isUrl(text: string): boolean {
  if (!/^(?:https?|ftp):\/\/[^\s/]/i.test(text) || /\s/.test(text) || !URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  if (/^\d+(?:\.\d+){3}$/.test(hostname)) return !PRIVATE.test(hostname);
  return /\.[^\d.][^.]+$/.test(hostname);
}
const PRIVATE = /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|22[4-9]|2[3-5]\d)\./;
