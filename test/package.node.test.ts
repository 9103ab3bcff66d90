import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const here = (path: string) => fileURLToPath(new URL(path, root));

interface Package {
  name: string;
  exports: Record<string, string | { types: string; default: string }>;
  sideEffects: string[];
}

describe('the built package', () => {
  let packed: Package;

  before(async function () {
    packed = JSON.parse(await readFile(here('package.json'), 'utf8')) as Package;
    if (!existsSync(here('dist/lib/index.js'))) throw new Error('Nothing is built yet: `npm run build` comes first.');
  });

  it('has a file behind each door, and types behind each door with code for bundlers', () => {
    const files = Object.values(packed.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    );
    expect(files).to.have.length.above(10);
    for (const file of [...files, ...packed.sideEffects]) expect(existsSync(here(file)), file).to.equal(true);
  });

  // By the package's own name, so the `exports` map is what answers.
  for (const door of ['', 'define', 'core', 'protocols', 'relay', 'testing', 'locales/en', 'locales/zh-CN'])
    it(`opens ${door === '' ? 'tool-chat' : `tool-chat/${door}`} where there is no DOM`, async () => {
      const module = (await import(door === '' ? 'tool-chat' : `tool-chat/${door}`)) as object;
      if (door !== 'define') expect(Object.keys(module)).to.have.length.above(0);
      expect(globalThis).to.not.have.property('document');
    });

  it('keeps closed what is no door', async () => {
    const failure: unknown = await import(`tool-chat/${'conversation/turn.js'}`).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});
