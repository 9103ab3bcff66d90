/** English comes in two pieces: what says more than the first words brings the rest along. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { en } from '../../src/i18n/en.js';
import { english } from '../../src/i18n/english.js';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
/** An open panel is both: the second comes beside the first, and before there is anything to say. */
const engine = path.join(src, 'elements/engine.ts');
const conversation = path.join(src, 'elements/start-conversation.ts');

interface Source {
  /** Files that come with it. */
  imports: string[];
  /** Files that it loads on demand. */
  loads: string[];
  /** Words of the catalogue that it says. */
  says: string[];
  /** It makes the catalogue whole. */
  completes: boolean;
}

/** Words of the catalogue under which other things are handed around, too. */
const namesakes = new Set([
  ...[
    'before',
    'after',
    'edit',
    'undo',
    'undoing',
    'undone',
    'allow',
    'deny',
    'revoke',
    'grants',
    'run',
    'runAgain',
    'parameters',
    'required',
  ],
  ...['standsInFor', 'toolTimeout', 'remembered', 'model', 'notes', 'sources', 'why'],
]);

function read(file: string, text = readFileSync(file, 'utf8')): Source {
  const source: Source = { imports: [], loads: [], says: [], completes: text.includes('\nwholeEnglish();') };
  const at = (specifier: ts.Node | undefined) => {
    const { text: name } = specifier as ts.StringLiteral;
    return name.startsWith('.') ? path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')) : name;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
      source.imports.push(at(node.moduleSpecifier));
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly) source.imports.push(at(node.moduleSpecifier));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) source.loads.push(at(node.arguments[0]));
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

const rest = new Set(
  [...readFileSync(path.join(src, 'i18n/en.ts'), 'utf8').matchAll(/^ {2}(\w+):/gm)]
    .map(([, word = '']) => word)
    .filter((word) => !namesakes.has(word)),
);
const wordsOf = (files: Iterable<string>) => [...files].flatMap((file) => sourceOf(file).says.filter((word) => rest.has(word)));

describe('the English catalogue', () => {
  it('is one object, whole with `en.ts`', () => {
    expect(en).to.equal(english);
    for (const word of rest) expect(en).to.have.property(word);
    expect(rest.size).to.be.greaterThan(100);
  });

  it('has all that an open panel says in its first piece', () => {
    const panel = together(conversation, together(engine));
    expect(panel.size).to.be.greaterThan(60);
    expect(panel.has(path.join(src, 'i18n/en.ts'))).to.equal(false);
    expect(wordsOf(panel)).to.deep.equal([]);
  });

  it('is made whole by every part that is loaded on demand and says more', () => {
    const panel = together(conversation, together(engine));
    const wanting: string[] = [];
    const seen = new Set<string>();
    const follow = (from: Iterable<string>, isWhole: boolean) => {
      for (const entry of [...from].flatMap((file) => sourceOf(file).loads)) {
        const part = [...together(entry)].filter((file) => !panel.has(file));
        const whole = isWhole || part.some((file) => sourceOf(file).completes);
        if (!whole && wordsOf(part).length > 0) wanting.push(`${path.relative(src, entry)}: ${wordsOf(part).join(' ')}`);
        if (seen.has(`${entry} ${String(whole)}`)) continue;
        seen.add(`${entry} ${String(whole)}`);
        follow(part, whole);
      }
    };
    follow(panel, false);
    expect(wanting).to.deep.equal([]);
    expect([...seen].filter((one) => one.endsWith('true')).length).to.be.greaterThan(8);
  });

  it('is looked through by a reader that sees the words', () => {
    const text = `const a = texts.wantsTo; tell(({ runThis }) => runThis); void import('./b.js'); const c = now.texts().noResults;`;
    const { says, loads } = read(path.join(src, 'x.ts'), text);
    expect(says).to.deep.equal(['wantsTo', 'runThis', 'noResults']);
    expect(loads).to.deep.equal([path.join(src, 'b.ts')]);
  });
});
