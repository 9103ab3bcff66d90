/** Fills in what `docs/guides/cdn.md` leaves open: the version, and the hashes of what was built. */

const BASE = 'https://cdn.jsdelivr.net/npm/tool-chat@{version}/dist/';

/** Samples marked `<!-- hashes -->`, with `hashes` as `dist/integrity.json` has them. */
export function withHashes(text: string, version: string, hashes: Readonly<Record<string, string>>): string {
  const map = JSON.stringify({ integrity: Object.fromEntries(Object.entries(hashes).map(([file, hash]) => [BASE + file, hash])) }, null, 2);
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
