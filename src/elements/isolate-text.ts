/** Returns our words around an untrusted text, isolated in a `bdi` element so that the text keeps its own direction. */
import { html } from 'lit';

/** A placeholder for the text while the sentence is built. No text contains it. */
const PLACE = '\uE000';

export function around(say: (text: string) => string, text: unknown): unknown {
  const [before, after] = say(PLACE).split(PLACE);
  return after === undefined ? before : [before, html`<bdi>${text}</bdi>`, after];
}
