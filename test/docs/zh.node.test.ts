/** The guides in Chinese beside those in English: the same headings and samples, so that one is not forgotten when the other changes. */
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { blocksOf, page } from './pages.js';

const root = new URL('../../', import.meta.url);
const names = await readdir(new URL('docs/zh/guides/', root));

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

describe('the guides in Chinese', () => {
  it('are all of them', async () => {
    expect(names).to.have.members(await readdir(new URL('docs/guides/', root)));
  });

  for (const name of names) {
    it(`have in ${name} the headings, tables, lists and samples of the page in English`, async () => {
      expect(skeletonOf(await page(`docs/zh/guides/${name}`))).to.deep.equal(skeletonOf(await page(`docs/guides/${name}`)));
    });

    it(`lead in ${name} to pages in Chinese where they can`, async () => {
      const links = [...(await page(`docs/zh/guides/${name}`)).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
      for (const link of links) {
        const file = path.posix.join('docs/zh/guides', link);
        const translated = file.replace(/^docs\//, 'docs/zh/');
        if (!file.startsWith('docs/zh/')) expect(existsSync(new URL(translated, root)), `${link} is there in Chinese`).to.equal(false);
      }
    });
  }
});
