/** Files that the documentation names are there; documentation, screen and console use the words of today. */
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serverQuestionStrings } from '../../src/i18n/server-question.js';
import terms from '../fixtures/old-terms.json' with { type: 'json' };
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `/src/${file.replaceAll('\\', '/')}`);

/** A path of the repository is exact; other names may leave out the first folders. */
const isThere = (name: string) => existsSync(root + name) || sources.some((file) => file.endsWith(`/${name}`));

/** `terms`: words that were, and what is said instead. Names in code keep theirs. */
const old = new RegExp(String.raw`(?<![\w-])(?:${Object.keys(terms).join('|')})(?![\w-])`, 'gi');
/** Prose alone: no code, no addresses, no names of chapters that are codes. */
const oldTerms = (text: string) =>
  text
    .replaceAll(/^(`{3,})[^]*?^\1$/gm, '')
    .replaceAll(/`+[^`\n]*`+|\]\([^)]*\)|<[^>\n]*>|^\[\w+\]: .*$|^## [a-z-]+$/gm, '')
    .match(old) ?? [];

/** English that users and developers read; each literal in these files is such a text, except for single words of code. */
const CATALOGS = [
  '.config/editors.mjs',
  ...['en-first', 'en-calls', 'en-endpoint', 'en', 'error-texts', 'launcher', 'server-question'].map((name) => `src/i18n/${name}.ts`),
  ...'inspector/inspector-strings-en toolkits/toolkit-texts relay/errors relay/option-table elements/page-warnings'
    .split(' ')
    .map((name) => `src/${name}.ts`),
  ...readdirSync(`${root}demo`).flatMap((name) => (/(?:texts|states|words|shop)\.js$/.test(name) ? [`demo/${name}`] : [])),
];
/** What writes to the console: a log, or an error. */
const isConsole = (node: ts.Node) =>
  (ts.isNewExpression(node) && /Error$/.test(node.expression.getText())) ||
  (ts.isCallExpression(node) && /(?:\.(?:debug|info|warn|error)|Error)$/.test(node.expression.getText()));

function textsIn(file: string, isText: (node: ts.Node) => boolean = () => true): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node, inside: boolean): void => {
    if (inside && (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) && !/^[a-z.-]+$/.test(node.text)) texts.push(node.text);
    ts.forEachChild(node, (child) => visit(child, inside || isText(node)));
  };
  visit(ts.createSourceFile(file, readFileSync(root + file, 'utf8'), ts.ScriptTarget.Latest, true), false);
  return texts;
}

describe('the documentation', () => {
  const pages = readdirSync(`${root}docs`).filter((file) => file.endsWith('.md') && file !== 'requirements.md');

  for (const page of [...pages.map((name) => `docs/${name}`), 'CONTRIBUTING.md'])
    it(`names in ${page} only files and folders that there are`, () => {
      const text = readFileSync(root + page, 'utf8');
      const named = [...text.matchAll(/`((?:src|test|demo|docs|themes|\.config)\/[\w./-]*|(?:[\w-]+\/)*[\w-]+\.ts)`/g)];
      expect(named.map(([, name = '']) => name).filter((name) => !isThere(name))).to.deep.equal([]);
    });

  it('uses the words of today', () => {
    const texts = ['guides', 'stacks', 'decisions', '.'].flatMap((folder) =>
      readdirSync(`${root}docs/${folder}`)
        .filter((file) => file.endsWith('.md') && file !== 'requirements.md') // which quotes what was asked for
        .map((file) => `docs/${folder}/${file}`),
    );
    const found = [...texts, 'README.md', 'SECURITY.md', 'CONTRIBUTING.md'].map(
      (file) => [file, oldTerms(readFileSync(root + file, 'utf8'))] as const,
    );
    expect(found.filter(([, terms]) => terms.length > 0)).to.deep.equal([]);
    const logged = sources.flatMap((file) => textsIn(file.slice(1), isConsole));
    expect(logged.length).to.be.above(500);
    expect([...CATALOGS.flatMap((file) => textsIn(file)), ...logged].filter((text) => oldTerms(text).length > 0)).to.deep.equal([]);
    expect(oldTerms('A hand, a grant and `grants`\n\n```js\nanew\n```\n[x](hands.md) and colour-blind')).to.deep.equal(['hand', 'grant']);
  });
});

describe('the French texts', () => {
  /** A space that does not break is inside « » and before a colon, and a narrow one before ; ! ? and %. */
  const hasWrongSpace = (text: string) => /[^\u00A0]»|«[^\u00A0]|[ \u202F]:|[^\u202F<!?][;!?%]/u.test(text);

  it('have one kind of space before each mark', () => {
    const texts = ['fr', 'fr-first', 'fr-errors'].flatMap((name) => textsIn(`src/i18n/${name}.ts`));
    expect([...texts, ...Object.values(serverQuestionStrings('fr')).map(String)].filter(hasWrongSpace)).to.deep.equal([]);
    expect(['Qui :', 'Qui\u202F:', '«\u202Fa\u00A0»', 'Quoi ?', 'Non!', 'a ; b', '5\u00A0%'].every(hasWrongSpace)).to.equal(true);
  });
});
