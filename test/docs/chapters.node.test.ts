/** Codes and their chapters: what the console says leads to the page that says what helps. */
import { expect } from 'chai';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { anchorOf } from '../../.config/anchors.js';
import { createLog, loadLog } from '../../src/base/logging.js';
import { diagrams } from '../helpers/diagrams.js';
import { page } from './pages.js';

const sources = await Promise.all(
  readdirSync(new URL('../../src/', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map(async (file): Promise<[string, string]> => [`src/${file.replaceAll('\\', '/')}`, await page(`src/${file}`)]),
);
const chapters = (await page('docs/error-codes.md')).split(/^## /m).slice(1);
const titles = chapters.map((chapter) => chapter.split('\n')[0] ?? '');
const errors = [...(await page('src/base/errors.ts')).matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code = '']) => code);

/** Codes of all warnings and errors that the source writes to its log. */
const said = sources
  .filter(([file]) => !file.startsWith('src/relay/') && file !== 'src/base/logging.ts')
  .flatMap(([, text]) => [...text.matchAll(/(?:\blog\??|Log)\.(?:warn|error)\(\s*'([\w.-]+)'/g)].map(([, code = '']) => code));

describe('docs/error-codes.md', () => {
  it('has a chapter for every code that a page can get, with what helps', () => {
    expect(titles.filter((title) => title === title.toUpperCase()).sort()).to.deep.equal([...new Set(errors)].sort());
    for (const chapter of chapters.slice(0, errors.length))
      expect(chapter).to.contain('**What happened.**').and.to.contain('**What helps.**');
  });

  it('has a chapter for all that the log warns of, and no other', () => {
    const areas = new Set(said.map((code) => code.replace(/\..*/, '')));
    expect(areas.size).to.be.above(30);
    const known = titles.map((title) => title.toLowerCase());
    expect([...areas].filter((area) => !known.includes(area))).to.deep.equal([]);
    expect(titles.filter((title) => title !== title.toUpperCase() && !areas.has(title))).to.deep.equal([]);
  });
});

describe('a warning in the console', () => {
  const heard = async (...entries: Parameters<ReturnType<typeof createLog>['warn']>[]) => {
    const { warn } = console;
    const lines: unknown[] = [];
    console.warn = (line: unknown) => lines.push(line);
    try {
      await loadLog();
      const log = createLog();
      for (const entry of entries) log.warn(...entry);
    } finally {
      console.warn = warn;
    }
    return lines;
  };

  it('ends with its chapter: of its code, or else of what it is about', async () => {
    expect(
      await heard(
        ['turn.failed', 'No answer', { code: 'CONNECT_FAILED' }, { errorType: 'network' }],
        ['tool.failed', 'Tool failed', {}, { errorType: 'API_ERROR' }],
        ['tool.failed', 'Tool failed', {}, { errorType: 'network' }],
        ['tool.failed', 'Tool failed', { result: { code: 'TIMEOUT' } }, { errorType: 'timeout' }],
        ['mcp', 'No tools'],
        ['tool.log', 'In the words of a tool'],
      ),
    ).to.deep.equal([
      '[tool-chat] No answer → docs/error-codes.md#connect_failed',
      '[tool-chat] Tool failed → docs/error-codes.md#api_error',
      '[tool-chat] Tool failed → docs/error-codes.md#tool',
      '[tool-chat] Tool failed → docs/error-codes.md#timeout',
      '[tool-chat] No tools → docs/error-codes.md#mcp',
      '[tool-chat] In the words of a tool',
    ]);
  });

  it('names an anchor that GitHub and the site make of a heading', async () => {
    const anchors = titles.map(anchorOf);
    for (const code of [...said, ...errors]) expect(anchors, code).to.include(code.replace(/\..*/, '').toLowerCase());
    expect(await page('docs/.vitepress/config.ts')).to.contain('slugify: anchorOf');
  });
});

describe('the pictures', () => {
  const here = (name: string) => new URL(`../../docs/${name}`, import.meta.url);
  const pages = readdirSync(here(''), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));

  it('are each shown with a description, at most 60 KB, and taken of a screen or drawn from a page', async () => {
    const shown = (await Promise.all(pages.map((name) => page(`docs/${name}`)))).flatMap((text) => [
      ...text.matchAll(/!\[([^\]]*)\]\([./]*screenshots\/([^)]+)\)/g),
    ]);
    for (const [, words = '', name] of shown) expect(words.length, name).to.be.above(8);
    const names = new Set(shown.map(([, , name = '']) => name));
    for (const name of names) expect(statSync(here(`screenshots/${name}`)).size, name).to.be.at.most(60_000);
    const drawn = await diagrams();
    for (const [name, svg] of drawn) expect(await page(`docs/screenshots/${name}`), name).to.equal(svg);
    const taken = Object.keys(JSON.parse(await page('docs/screenshots/fingerprints.json')) as object).map((name) => `${name}.webp`);
    expect(readdirSync(here('screenshots'))).to.have.members([...taken, ...drawn.map(([name]) => name), 'fingerprints.json', 'tour.webp']);
    expect([...names]).to.have.members([...taken, ...drawn.map(([name]) => name)]);
  });

  it('move in a README of at most 120 lines and 800 words, in at most 500 KB; the first version is told in 25 lines', async () => {
    const readme = await page('README.md');
    expect(readme).to.include('](docs/screenshots/tour.webp)');
    expect(statSync(here('screenshots/tour.webp')).size).to.be.at.most(500_000);
    expect([readme.trimEnd().split('\n').length <= 120, readme.split(/\s+/).length <= 800]).to.deep.equal([true, true]);
    expect((await page('CHANGELOG.md')).split('## 0.1.0')[1]?.split('\n## ')[0]?.trimEnd().split('\n').length).to.be.at.most(25);
  });
});

describe('links between the pages', () => {
  const pages = readdirSync(new URL('../../docs/', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .concat('README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md');

  it('lead to files and headings that there are', async () => {
    const anchors = new Map<string, Set<string>>();
    const proseOf = async (file: string) => (await page(file)).replaceAll(/^(`{3,})[^]*?^\1$/gm, '');
    for (const file of pages) {
      const headings = [...(await proseOf(file)).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text);
      anchors.set(file, new Set(headings.map((text) => anchorOf(text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')))));
    }
    const isWrong = (file: string, to: string, anchor: string) => {
      const target = to === '' ? file : new URL(to, `file:///${file}`).pathname.slice(1);
      return !existsSync(new URL(`../../${target}`, import.meta.url)) || (anchor !== '' && !anchors.get(target)?.has(anchor));
    };
    const wrong: string[] = [];
    for (const file of pages)
      for (const [, to = '', anchor = '', named = to] of (await proseOf(file)).matchAll(
        /\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)|^\[\w+\]: (?!https?:)(\S+)$/gm,
      ))
        if (isWrong(file, named, anchor)) wrong.push(`${file}: ${named}#${anchor}`);
    expect(wrong).to.deep.equal([]);
    expect([isWrong('README.md', 'docs/no.md', ''), isWrong('README.md', 'docs/relay.md', 'no')]).to.deep.equal([true, true]);
  });
});
