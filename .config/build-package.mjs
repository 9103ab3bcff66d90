/**
 * Builds the files that others import, from the modules in `dist/modules`: one for each entry point of the package and as few shared ones
 * as possible. A page's own bundler can still leave out unused code. Part of `npm run build`.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { ownBuiltIns } from './built-ins.mjs';
import { stripped } from './strip-css.mjs';
import { ofCalls, lazyGroups } from './lazy-groups.mjs';
import { bin, entryPoints, inputs, isExternal, modules, namesOf, root } from './entry-points.mjs';

const LIB = 'dist/lib';
const withCode = namesOf(Object.values(entryPoints).map((entry) => entry.default));
const programs = namesOf(Object.values(bin));
/** Packages of the relay that are bundled: a server then installs nothing else, and a page installs nothing of the relay. */
const inside = ['hono', '@hono/node-server'];

const licence = (name) => `# ${name}\n\n${readFileSync(path.join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`;

rmSync(path.join(root, LIB), { recursive: true, force: true });

/** Modules that an entry point imports at once. A lazy group contains none of them. */
const early = new Set();
const lazyGroup = (name, files) => ({
  name,
  test: (id) => !early.has(id) && files.some((file) => id === path.join(modules, `${file}.js`)),
});
/** The elements of these groups are separate files, because `tool-chat/core` loads the rest without a document. */
const mixed = ['further-calls', 'plans'];
const isShown = (file) => file.startsWith('elements/');
const lazyGroupsIn = Object.entries({ ...lazyGroups, 'of-calls': ofCalls }).flatMap(([name, files]) =>
  mixed.includes(name)
    ? [
        lazyGroup(
          name,
          files.filter((file) => !isShown(file)),
        ),
        lazyGroup(`shown-${name}`, files.filter(isShown)),
      ]
    : [lazyGroup(name, files)],
);
withCode.forEach((name) => importAtOnce(path.join(modules, `${name}.js`)));

const code = await rolldown({
  input: inputs(withCode, 'js'),
  external: isExternal,
  transform: { inject: ownBuiltIns(modules, 'js') },
  plugins: [{ name: 'strip-css', transform: stripped }, languagesOfPages(), corpusAsData()],
  makeAbsoluteExternalsRelative: true,
  platform: 'neutral',
  checks: { moduleLevelDirective: false }, // the entry point for React keeps its own; a test checks that
  preserveEntrySignatures: 'allow-extension', // what groups without their dependencies ask for; looked at below
});
/** Names inside a module are short, for the package is large; what is exported, and every property, keeps its own. */
const minify = { compress: true, mangle: true, codegen: { removeWhitespace: true } };
const { output } = await code.write({
  dir: path.join(root, LIB),
  chunkFileNames: ({ name }) => `shared/${name.split('~')[0]}-[hash:7].js`,
  comments: { legal: true, annotation: true, jsdoc: false },
  minify,
  codeSplitting: {
    groups: [
      // Nearly all others import these: one file instead of a dozen small ones.
      {
        name: 'base',
        test: /\/dist\/modules\/(?:(?:base|model)\/(?!log-entry|redact)|i18n\/(?:english|english-fallback)\.js|elements\/page-language\.js|protocols\/neutralize\.js|tools\/remote-work\.js)/,
      },
      together('options', 'conversation', [
        ...['options/composer-templates', 'options/option-table', 'chart/message-window', 'chart/services'],
      ]),
      ...lazyGroupsIn,
      // Modules that several entry points import, by topic.
      together('wires', 'transports', [
        ...['attachment-text', 'retry-headers', 'sse', 'retry', 'failure', 'whole-reply', 'tool-indexes', 'message-ids', 'body', 'rows'],
        ...['ip-address-space', 'prepare-request', 'read-fields', 'cutie', 'request-body', 'native-tools', 'wire-messages'],
      ]),
      together('tool-parts', 'tools', [
        'fingerprint',
        'digest',
        'discover',
        'approval-policy',
        'patterns',
        'schema-parts',
        'describe-tools',
      ]),
      together('text-mode', 'protocols', [
        'call-buffer',
        'quotations',
        'thought-marks',
        'scan',
        'code-state',
        'line-start',
        'markdown-context',
        'hold-last-call',
        'trailing-block',
        'text-mode',
        'native-reader',
        'tool-requests',
        'read-whole',
      ]),
      together('json', 'protocols', [
        'json/json-calls',
        'json/block-ends',
        'json/echoed-results',
        'json/block',
        'json/repair-truncated-json',
        'json/brackets',
        'json/json-reader',
        'json/tolerant',
        'json-prompt',
      ]),
      together('views', 'elements', ['card-icons', 'sentences', 'value-view', 'verified-render']),
      // An entry point exports only its own names, so the modules of its folder that others import are separate files.
      { name: 'fields', test: /\/elements\/tool-chat-edit\/form-fields\.js$/ },
      { name: 'relay-store', test: /\/relay\/(?:call-hook|import-optional|memory-store|usage-report|store|timeouts)\.js$/ },
      // A protocol has two files in `src/`, because its parser is needed without its prompt. A bundler gets one.
      {
        debugName: 'protocol',
        name: (id) => /protocols\/(json-action|json-tool-calls|tool-code|vcp|xml-invoke)(?:\/|\.js)/.exec(id)?.[1] ?? null,
        test: /\/dist\/modules\/protocols\//,
      },
    ].map((group) => ({ ...group, includeDependenciesRecursively: false })),
  },
});
// The minifier writes addresses as templates, which not every bundler follows (Farm). Quotes are as long, so the source maps stay right.
for (const one of output)
  if (one.type === 'chunk')
    writeFileSync(path.join(root, LIB, one.fileName), one.code.replace(/\bimport\(`([^`$\\"]*)`\)/g, 'import("$1")'));
refuseCircles();
refuseNamelessExports();
refuseDroppedElements();

// A program is a file next to the entry point that it imports.
for (const name of programs) {
  const program = await rolldown({
    input: inputs([name], 'js'),
    external: (id) => isExternal(id) || id === './index.js',
    platform: 'node',
    makeAbsoluteExternalsRelative: false,
  });
  await program.write({
    dir: path.join(root, LIB),
    codeSplitting: false,
    comments: { legal: true, annotation: true, jsdoc: false },
    minify,
  });
}

// The scripted model alone, whole in one file: a page without a bundler can load it, and needs no server for its first conversation.
const scripted = await rolldown({ input: path.join(modules, 'scripted-model/index.js'), platform: 'browser' });
await scripted.write({
  file: path.join(root, LIB, 'testing/scripted-model.js'),
  comments: { legal: true, annotation: false, jsdoc: false },
  minify,
});
writeFileSync(path.join(root, LIB, 'relay/licenses.md'), inside.map(licence).join('\n'));

// Pages that a site serves itself: a sign-in window returns to the first, and foreign code runs in the second.
for (const page of ['mcp/tool-chat-oauth', 'toolkits/sandbox/tool-chat-sandbox'])
  copyFileSync(path.join(root, `src/${page}.html`), path.join(root, `dist/${path.basename(page)}.html`));

/** The words of a language are in one file of the package, the one that pages load: here they are laid over English. */
function languagesOfPages() {
  const chunks = JSON.parse(readFileSync(path.join(root, 'dist/.vite/manifest.json'), 'utf8'));
  return {
    name: 'languages-of-pages',
    resolveId: (source) => (source.startsWith('page:') ? { id: path.join(root, 'dist', source.slice(5)), external: true } : null),
    load(id) {
      const [, lang] = /\/dist\/modules\/i18n\/(ar|de|es|fr|ja|zh-cn)\.js$/.exec(id) ?? [];
      if (lang === undefined) return null;
      const words = `from 'page:${chunks[`src/i18n/${lang}.ts`].file}';`;
      return lang === 'zh-cn'
        ? `export { zhCN } ${words}`
        : `import { withEnglishFallback } from './english-fallback.js'; import { ${lang} as words } ${words} export const ${lang} = withEnglishFallback(words);`;
    },
  };
}

/** The corpus is in the package once: as data, which other languages read, too. */
function corpusAsData() {
  const name = 'protocol-corpus.json';
  return {
    name: 'corpus-as-data',
    resolveId: (source) => (source === `data:${name}` ? { id: path.join(root, 'dist', name), external: true } : null),
    load: (id) =>
      id === path.join(modules, 'testing/corpus/index.js')
        ? `import corpus from 'data:${name}' with { type: 'json' }; export { corpus };`
        : null,
  };
}

function together(name, folder, files) {
  return { name, test: (id) => files.some((file) => id === path.join(modules, folder, `${file}.js`)) };
}

function importAtOnce(file) {
  if (early.has(file) || !existsSync(file)) return;
  early.add(file);
  for (const [, from, alone] of readFileSync(file, 'utf8').matchAll(
    /^(?:(?:import|export)\b[^'"]*?from\s*['"](\.[^'"]+)|import\s*['"](\.[^'"]+))['"]/gm,
  ))
    importAtOnce(path.join(path.dirname(file), from ?? alone));
}

/** Two files that import each other read what is not there yet. */
function refuseCircles() {
  const importsOf = new Map(output.map(({ fileName, imports }) => [fileName, imports]));
  const done = new Set();
  const visit = (file, above) => {
    if (above.includes(file)) throw new Error(`Files of the package import each other: ${[...above, file].join(' → ')}`);
    if (done.has(file)) return;
    for (const next of importsOf.get(file) ?? []) visit(next, [...above, file]);
    done.add(file);
  };
  for (const file of importsOf.keys()) visit(file, []);
}

/** An entry point that contains modules of others would export names that the bundler made up. */
function refuseNamelessExports() {
  for (const { fileName, isEntry, exports: names } of output)
    if (isEntry && names.some((name) => /^[a-z]{1,2}$/.test(name) && !fileName.endsWith(`/${name}.js`)))
      throw new Error(`The entry point ${fileName} has exports that are not its own: ${names.join(', ')}`);
}

/** The package declares its shared files as free of side effects, so a bundler drops an import of an element that takes no name from it. */
function refuseDroppedElements() {
  const elements = output.filter(({ moduleIds = [] }) => moduleIds.some((id) => /\/elements\/(tool-chat-[^/]+)\/\1\.js$/.test(id)));
  for (const { fileName, code = '' } of output)
    for (const [, from] of code.matchAll(/\bimport\s*["']([^"']+)["']/g))
      if (elements.some((chunk) => chunk.fileName === path.posix.join(path.posix.dirname(fileName), from)))
        throw new Error(`${fileName} imports the elements of ${from} without a name.`);
}
