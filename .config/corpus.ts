/** Writes the corpus of the protocols as JSON, for those who parse tool calls in another language. Part of `npm run build`. */
import { writeFileSync } from 'node:fs';
import { corpus } from '../src/testing/corpus/index.js';

writeFileSync(new URL('../dist/protocol-corpus.json', import.meta.url), `${JSON.stringify(corpus)}\n`);
