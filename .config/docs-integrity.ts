/** Fills in what `docs/guides/cdn.md` leaves open: the version, and the hashes of what was built. */

const BASE = 'https://cdn.jsdelivr.net/npm/tool-chat@{version}/dist/';

/** Samples marked `<!-- hashes -->`, with `hashes` as `dist/integrity.json` has them. */
export function withHashes(text: string, version: string, hashes: Readonly<Record<string, string>>): string {
  const ofTheTag = Object.entries(hashes).filter(([file]) => !file.startsWith('lib/'));
  const map = JSON.stringify({ integrity: Object.fromEntries(ofTheTag.map(([file, hash]) => [BASE + file, hash])) }, null, 2);
  return text.replaceAll(/<!-- hashes -->\n\n```html\n[^]*?\n```/g, (sample) =>
    sample
      .replace('{importmap}', () => map.replaceAll('\n', '\n  '))
      .replaceAll(/sha384-\{([^}]+)\}/g, (_, file: string) => {
        const hash = hashes[file];
        if (hash === undefined) throw new Error(`docs/guides/cdn.md names ${file}, which was not built.`);
        return hash;
      })
      .replaceAll('{version}', version),
  );
}

/** The same samples where no hashes are known: only the version is filled in, and a note says what prints the hashes. */
export function withoutHashes(text: string, version: string): string {
  const note = '::: info\nThis site was built without hashes. `npm run build && npm run docs` fills them in.\n:::\n\n';
  return text
    .replaceAll(/<!-- hashes -->\n\n```html\n[^]*?\n```/g, (sample) => sample.replaceAll('{version}', version))
    .replace('<!-- hashes -->', (mark) => `${note}${mark}`);
}
