/** English comes in three pieces: what says more than the first words brings those of calls along, or all of it. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
/** An open panel is both: the second comes beside the first, and before there is anything to say. */
const engine = path.join(src, 'elements/engine.ts');
const conversation = path.join(src, 'elements/start-conversation.ts');

/** The first words, those of calls as well, or all of them. */
type Piece = 0 | 1 | 2;

/** Files that come with a file, files that it loads on demand, words of the catalogue that it says, and the words that it brings along. */
type Source = Record<'imports' | 'loads' | 'says', string[]> & { brings: Piece };

/** Words of the catalogue under which other things are handed around, too. */
const namesakes = new Set(
  (
    'before after edit undo undoing undone allow deny revoke grants run runAgain parameters required ' +
    'standsInFor toolTimeout remembered model notation notes sources why'
  ).split(' '),
);

const piece = (text: string): Piece => (text.includes('\nfullEnglish();') ? 2 : text.includes('\naddCallTexts();') ? 1 : 0);

function read(file: string, text = readFileSync(file, 'utf8')): Source {
  const source: Source = { imports: [], loads: [], says: [], brings: piece(text) };
  const at = (specifier: ts.Node | undefined) => {
    const { text: name } = specifier as ts.StringLiteral;
    return name.startsWith('.') ? path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')) : name;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
      source.imports.push(at(node.moduleSpecifier));
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly) source.imports.push(at(node.moduleSpecifier));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && ts.isStringLiteral(node.arguments[0]!))
      source.loads.push(at(node.arguments[0]));
    if (ts.isPropertyAccessExpression(node) && /texts(\(\))?\??$/i.test(node.expression.getText())) source.says.push(node.name.text);
    // `({ word }) => …` and `const { word } = texts`
    if (ts.isBindingElement(node)) source.says.push(...[(node.propertyName ?? node.name).getText()].filter((word) => !namesakes.has(word)));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return source;
}

const known = new Map<string, Source>();
function sourceOf(file: string): Source {
  const source = known.get(file) ?? read(file);
  known.set(file, source);
  return source;
}

/** A file and all that comes with it. */
function together(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !file.startsWith(src)) return found;
  found.add(file);
  for (const one of sourceOf(file).imports) together(one, found);
  return found;
}

const wordsIn = (name: string) =>
  new Set(
    [...readFileSync(path.join(src, 'i18n', name), 'utf8').matchAll(/^ {2}(\w+):/gm)]
      .map(([, word = '']) => word)
      .filter((word) => !namesakes.has(word)),
  );
const ofCalls = wordsIn('en-calls.ts');
const rest = wordsIn('en.ts');
/** Words that these files say and that are in none of the pieces so far. */
const wordsBeyond = (pieces: Piece, files: Iterable<string>) =>
  [...files].flatMap((file) => sourceOf(file).says.filter((word) => (pieces < 2 && rest.has(word)) || (pieces < 1 && ofCalls.has(word))));

describe('the English catalogue', () => {
  it('has all that an open panel says in its first piece', () => {
    const panel = together(conversation, together(engine));
    expect(panel.size).to.be.greaterThan(60);
    for (const later of ['i18n/en.ts', 'i18n/en-calls.ts']) expect(panel.has(path.join(src, later))).to.equal(false);
    expect(wordsBeyond(0, panel)).to.deep.equal([]);
  });

  it('is brought along by every part that is loaded on demand, as far as that part says more', () => {
    const panel = together(conversation, together(engine));
    const wanting: string[] = [];
    const seen = new Set<string>();
    const follow = (from: Iterable<string>, before: Piece) => {
      for (const entry of [...from].flatMap((file) => sourceOf(file).loads)) {
        const part = [...together(entry)].filter((file) => !panel.has(file));
        const now = Math.max(before, ...part.map((file) => sourceOf(file).brings)) as Piece;
        const missing = wordsBeyond(now, part);
        if (missing.length > 0) wanting.push(`${path.relative(src, entry)}: ${missing.join(' ')}`);
        if (seen.has(`${entry} ${String(now)}`)) continue;
        seen.add(`${entry} ${String(now)}`);
        follow(part, now);
      }
    };
    follow(panel, 0);
    expect(wanting).to.deep.equal([]);
    expect(seen.size).to.be.greaterThan(11);
  });
});
