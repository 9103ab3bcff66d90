/** Writes the corpus of the protocols as JSON, for those who parse tool calls in another language. Part of `npm run build`. */
import { writeFileSync } from 'node:fs';
import { corpusData } from './corpus-data.js';

writeFileSync(new URL('../dist/protocol-corpus.json', import.meta.url), corpusData);
