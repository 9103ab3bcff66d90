/** Returns our words around an untrusted text, isolated in a `bdi` element so that the text keeps its own direction. */
import { html } from 'lit';

/** A placeholder for the text while the sentence is built. No text contains it. */
const PLACEHOLDER = '\uE000';

export function isolateText(template: (text: string) => string, text: unknown): unknown {
  const [before, after] = template(PLACEHOLDER).split(PLACEHOLDER);
  return after === undefined ? before : [before, html`<bdi>${text}</bdi>`, after];
}
