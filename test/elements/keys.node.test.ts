/** Keys in text fields: a key of an input method is never taken, wherever a key is read. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const elements = fileURLToPath(new URL('../../src/elements/', import.meta.url));

/** Parts without a text field. */
const withoutFields = new Set(['grips.ts', 'tool-chat/launcher-button.ts']);

it('Enter and Escape are left to an input method in every part that reads them', () => {
  const files = readdirSync(elements, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !withoutFields.has(file),
  );
  const reads = files.filter((file) => /(?:key|keyOf\(event\)) [!=]== '(?:Enter|Escape)'|case '(?:Enter|Escape)'/.test(source(file)));
  expect(reads).to.include.members([path.join('tool-chat-composer', 'tool-chat-composer.ts'), 'decisions.ts']);
  const careless = reads.filter((file) => !/belongsToInputMethod\(|sendsByEnter\(|keyCodeOf\(event\) [!=]== 229/.test(source(file)));
  expect(careless).to.deep.equal([]);
});

const source = (file: string): string => readFileSync(path.join(elements, file), 'utf8');
