/** Reads what was built and refuses what must not be published. The last step of `npm run build`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');

/** What no published file may hold, and why. */
const refused = [
  { text: '@customElement(', why: 'a decorator that no browser reads (the bundler does not lower it)' },
  { text: '@property(', why: 'a decorator that no browser reads (the bundler does not lower it)' },
  { text: 'eval(', why: 'refused by a strict content security policy', word: true },
  { text: 'new Function', why: 'refused by a strict content security policy' },
  { text: 'Function(`return', why: 'refused by a strict content security policy' },
  { text: 'unsafeHTML', why: 'model text must never become HTML' },
  { text: '.innerHTML=', why: 'model text must never become HTML', ownCodeOnly: true },
  { text: 'Lit is in dev mode', why: "Lit's development build was bundled" },
];
/** Only what is bundled: packages that others bundle leave the choice to them. */
const refusedInScripts = [{ text: 'process.env', why: 'a page has no process' }];

const problems = [];
for (const file of files(dist, '.js')) {
  const name = path.relative(root, file).replaceAll('\\', '/');
  // Never published as they are: what is made of them is looked at.
  if (name.startsWith('dist/modules/')) continue;
  const isModule = name.startsWith('dist/lib/');
  // Lit itself writes to the innerHTML of a template, through its Trusted Types policy.
  const rules = isModule ? refused : [...refused.filter((rule) => !rule.ownCodeOnly), ...refusedInScripts];
  const code = readFileSync(file, 'utf8');
  for (const { text, why, word } of rules) {
    const at = word ? code.search(new RegExp(`(?<![\\w$.])${text.replace('(', '\\(')}`)) : code.indexOf(text);
    if (at !== -1) problems.push(`${name}: "${text}": ${why}\n    …${code.slice(Math.max(0, at - 60), at + 60).replaceAll('\n', ' ')}…`);
  }
}

// Strict JSON parsers, such as those of bundlers, refuse half a surrogate pair.
for (const file of files(dist, '.json'))
  JSON.parse(readFileSync(file, 'utf8'), (key, value) => {
    if ([key, value].some((text) => typeof text === 'string' && !text.isWellFormed()))
      problems.push(`${path.relative(root, file)}: half a surrogate pair in ${JSON.stringify(value).slice(0, 60)}`);
    return value;
  });

for (const ring of rings(files(dist, '.js').filter((file) => !path.relative(dist, file).startsWith('modules'))))
  problems.push(`${ring.map((file) => path.relative(root, file)).join(' → ')}: each loads the next: which runs first hangs on who asks`);

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}

function files(folder, ending) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? files(name, ending) : name.endsWith(ending) ? [name] : [];
  });
}

/** Files that load one another at once, by way of others or not: what one says at its start may need what the other has yet to say. */
function rings(all) {
  const loads = new Map(all.map((file) => [file, loaded(file)]));
  const done = new Set();
  const found = [];
  function walk(file, way) {
    if (way.includes(file)) return void found.push([...way.slice(way.indexOf(file)), file]);
    if (done.has(file)) return;
    for (const next of loads.get(file) ?? []) walk(next, [...way, file]);
    done.add(file);
  }
  for (const file of all) walk(file, []);
  return found;
}

function loaded(file) {
  const code = readFileSync(file, 'utf8');
  return Array.from(code.matchAll(/(?:^|[\s;}])(?:import|export)\b[^;'"`()]*?(?:from)?\s*["'](\.[^"'`]+\.js)["']/g), ([, to]) =>
    path.resolve(path.dirname(file), to),
  );
}
