// CI only: it reads what `npm run build` makes, the whole package
/** What editors and readers that are no people take from the package. */
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { editorFiles } from '../.config/editors.mjs';
import searched from './fixtures/searched-words.json' with { type: 'json' };

interface Named {
  name: string;
}
interface HtmlData {
  tags: (Named & { attributes: (Named & { description?: string; values?: Named[] })[] })[];
}
interface WebTypes {
  contributions: {
    html: { elements: (Named & { js: { events: Named[]; properties: Named[] }; css: { parts: Named[] }; slots: Named[] })[] };
  };
}

const files = editorFiles();
const read = <Shape>(file: string) => JSON.parse(files[file] ?? '') as Shape;

describe('what editors are told', () => {
  it('is what the manifest and the docs say, in each file of the build', async () => {
    if (!existsSync('dist/llms.txt')) throw new Error('Nothing is built yet: `npm run build` comes first.');
    for (const [file, text] of Object.entries(files)) expect(await readFile(file, 'utf8'), `${file}: \`npm run build\``).to.equal(text);
  });

  it('has every attribute with its values and default, for VS Code', () => {
    const [chat] = read<HtmlData>('dist/editors/html-custom-data.json').tags;
    expect(chat?.name).to.equal('tool-chat');
    const layout = chat?.attributes.find(({ name }) => name === 'layout');
    expect(layout?.values).to.deep.equal([{ name: 'inline' }, { name: 'floating' }, { name: 'sidebar' }, { name: 'fullscreen' }]);
    expect(chat?.attributes.find(({ name }) => name === 'max-tokens')?.description).to.contain('`2000`');
    expect(chat?.attributes.filter(({ description }) => !description)).to.deep.equal([]);
  });

  it('has events, properties, parts and slots, for JetBrains, and stands in package.json', async () => {
    const [chat] = read<WebTypes>('dist/editors/web-types.json').contributions.html.elements;
    const names = (list: Named[] = []) => list.map(({ name }) => name);
    expect(names(chat?.js.events)).to.include('tool-chat-tool-complete');
    expect(names(chat?.js.properties)).to.include.members(['messages', 'config']);
    expect(names(chat?.css.parts)).to.include('approve-button');
    expect(names(chat?.slots)).to.include('empty');
    const about = JSON.parse(await readFile('package.json', 'utf8')) as Record<string, unknown>;
    expect(about['web-types']).to.equal('./dist/editors/web-types.json');
  });

  it('names in llms.txt only pages that are there, each once', () => {
    const links = [...(files['dist/llms.txt'] ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => String(link));
    expect(links).to.have.length.above(30);
    expect(new Set(links)).to.have.lengthOf(links.length);
    expect(links.filter((link) => !existsSync(path.join('dist', link)))).to.deep.equal([]);
  });

  it('has the words that people search for in llms.txt, and each where it is answered', async () => {
    for (const [name, word] of Object.entries(searched))
      for (const file of [`docs/${name}.md`, 'dist/llms.txt']) expect((await readFile(file, 'utf8')).toLowerCase(), file).to.include(word);
  });
});
