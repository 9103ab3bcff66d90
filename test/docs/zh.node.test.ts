/** The pages in Chinese have the headings and samples of those in English, so that one is not forgotten when the other changes. */
import { expect } from 'chai';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { blocksOf, page } from './pages.js';

const root = new URL('../../', import.meta.url);
const pagesIn = (folder: string) => readdirSync(new URL(`docs/${folder}`, root)).flatMap((name) => (name.endsWith('.md') ? [name] : []));
const names = [...pagesIn('zh/'), ...['guides/', 'stacks/'].flatMap((folder) => pagesIn(`zh/${folder}`).map((name) => folder + name))];

/** What a page is made of, without its words: levels of headings, rows of tables, points of lists, examples that run, and samples. */
function skeletonOf(text: string): string[] {
  const samples = blocksOf(text).map(({ language, source }) => `${language}: ${wordless(source, language)}`);
  const prose = text.replaceAll(/^(`{3,})[^]*?^\1$/gm, '```').split('\n');
  const signs = prose.flatMap((line) => {
    if (line.startsWith('<TryIt')) return [line.replaceAll(/heading=[^"&]*/g, 'heading=')];
    const [sign] = /^(?:#+ |\| |- |\d+\. |```)/.exec(line) ?? [];
    return sign === undefined ? [] : [sign];
  });
  return [...signs, ...samples];
}

/** A sample without texts, comments and what stands between tags, which may be in either language. */
function wordless(source: string, language: string): string {
  const plain =
    language === 'html'
      ? source.replaceAll(/>[^<>]*</g, '><').replaceAll(/(lang|heading|quick-commands|system-prompt)="[^"]*"/g, '$1=""')
      : withoutHoles(source.replaceAll(/\/\/.*$/gm, '')).replaceAll(/'[^'\n]*'|`[^`\n]*`/g, "''");
  return plain.replaceAll(/\s+/g, ' ').trim();
}

/** Without `${…}`, from the inside out: texts stand in there, too. */
function withoutHoles(source: string): string {
  const fewer = source.replaceAll(/\$\{[^{}]*\}/g, '');
  return fewer === source ? source : withoutHoles(fewer);
}

describe('the pages in Chinese', () => {
  it('are all guides and stacks, and what is read first', () => {
    const all = ['guides/', 'stacks/'].flatMap((folder) => pagesIn(folder).map((name) => folder + name));
    expect(names).to.have.members([...all, 'index.md', 'installation.md', 'faq.md', 'troubleshooting.md']);
  });

  for (const name of names) {
    it(`have in ${name} the headings, tables, lists and samples of the page in English`, async () => {
      expect(skeletonOf(await page(`docs/zh/${name}`))).to.deep.equal(skeletonOf(await page(`docs/${name}`)));
    });

    it(`lead in ${name} to pages that there are, in Chinese where they can`, async () => {
      const links = [...(await page(`docs/zh/${name}`)).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
      for (const link of links) {
        const file = path.posix.join('docs/zh', path.posix.dirname(name), link);
        const translated = file.replace(/^docs\//, 'docs/zh/');
        expect(existsSync(new URL(file, root)), `${link} is there`).to.equal(true);
        if (!file.startsWith('docs/zh/')) expect(existsSync(new URL(translated, root)), `${link} is there in Chinese`).to.equal(false);
      }
    });
  }
});
