/** What the bundler wrote down about its own output: files with their sizes, what loads what, and which module has which part of them. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

export function readBuild(root) {
  const dist = path.join(root, 'dist');
  const manifest = JSON.parse(readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8'));
  const files = new Map();
  const fileOf = (key) => manifest[key].file;
  for (const chunk of Object.values(manifest))
    files.set(chunk.file, {
      ...measure(readFileSync(path.join(dist, chunk.file))),
      imports: (chunk.imports ?? []).map(fileOf),
      loads: [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])].map(fileOf),
    });

  /** Round trips that come after the launcher, at least, until this file is there: by file, among those that were loaded. */
  function depths(loaded) {
    const wanted = new Set(loaded);
    const depth = new Map([['tool-chat.js', 0]]);
    for (const [file, at] of depth)
      for (const next of files.get(file)?.loads ?? []) if (wanted.has(next) && !depth.has(next)) depth.set(next, at + 1);
    return depth;
  }

  /** Bytes of gzip by module, and with `unused` those of them that never ran: each has of its file what it has of its characters. */
  function modulesOf(file, unused) {
    const map = `${path.join(dist, file)}.map`;
    if (!existsSync(map)) return new Map([['(bundler)', { bytes: files.get(file).gzip, idle: 0 }]]);
    const sources = new SourceMap(JSON.parse(readFileSync(map, 'utf8')));
    const text = readFileSync(path.join(dist, file), 'utf8');
    const modules = new Map();
    let at = 0;
    const scale = files.get(file).gzip / text.length;
    for (const [row, line] of text.split('\n').entries()) {
      for (let column = 0; column < line.length; column++) {
        const { originalSource } = sources.findEntry(row, column);
        const module = originalSource
          ? path.relative(root, path.resolve(path.dirname(map), originalSource)).replaceAll('\\', '/')
          : '(bundler)';
        const { bytes, idle } = modules.get(module) ?? { bytes: 0, idle: 0 };
        modules.set(module, { bytes: bytes + scale, idle: idle + scale * (unused?.[at + column] ?? 0) });
      }
      at += line.length + 1;
    }
    return new Map([...modules].sort(([, a], [, b]) => b.bytes - a.bytes));
  }

  return { files, depths, modulesOf, measureFile: (file) => measure(readFileSync(path.join(dist, file))) };
}

function measure(bytes) {
  return { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}
