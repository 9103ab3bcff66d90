/** Prints each ring of imports in `src/` and fails if there is one. Types count: what knows each other cannot be understood apart. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const src = fileURLToPath(new URL('../src/', import.meta.url));
const graph = new Map(sources(src).map((file) => [file, importsOf(file)]));

const done = new Set();
const rings = [];
for (const file of graph.keys()) visit(file, []);

for (const ring of rings) console.error(ring.map((file) => path.relative(src, file)).join(' → '));
console.log(`${graph.size} files, ${rings.length} import cycles`);
process.exit(rings.length > 0 ? 1 : 0);

function visit(file, trail) {
  const at = trail.indexOf(file);
  if (at !== -1) return void rings.push([...trail.slice(at), file]);
  if (done.has(file)) return;
  for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
  done.add(file);
}

function importsOf(file) {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier?.text;
    if (!specifier?.startsWith('.')) return [];
    return [path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts'))];
  });
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? sources(name) : name.endsWith('.ts') ? [name] : [];
  });
}
