/** Words of ours around a text of somebody else, which keeps the direction that it has by itself. */
import { html } from 'lit';

/** Stands for the text while the words are put together; it occurs in none. */
const PLACE = '\uE000';

export function around(say: (text: string) => string, text: unknown): unknown {
  const [before, after] = say(PLACE).split(PLACE);
  return after === undefined ? before : [before, html`<bdi>${text}</bdi>`, after];
}
