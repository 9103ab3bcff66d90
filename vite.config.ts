/**
 * Builds the two scripts a page can load by a tag; `npm run build` runs both, then builds the modules of the package.
 *
 *   vite build                dist/tool-chat.js, an ES module, and dist/chunks/: what it loads when it is needed
 *   vite build --mode iife    dist/tool-chat.iife.js, a classic script that loads the same chunks
 *   vite build --mode quick   as the first, but without the second minifier, which takes most of the time (`npm start`)
 */
import { readFileSync } from 'node:fs';
import { minify } from 'terser';
import { defineConfig, type Manifest, type Plugin, type UserConfig } from 'vite';
import { ownBuiltIns } from './.config/built-ins.mjs';
import { stripped } from './.config/strip-css.mjs';
import { ofCalls, lazyGroups } from './.config/lazy-groups.mjs';
import { trimmedXstate } from './.config/trimmed-xstate.mjs';

const entry = 'src/script.ts';

/**
 * What is loaded together is one chunk: a file by itself costs some 200 bytes of gzip and a request. Everything not named here is split by
 * what is imported on demand. No group may make a session with our relay and our notation load those of others; `npm run size` tells.
 */
const groups = [
  // An open panel that can be written in: all that the engine imports, in one file, so that it takes one round trip.
  whole('engine', ['elements/engine']),
  // Loaded beside it: the conversation, and our wire. What is loaded later stands on both.
  whole('widget', ['elements/start-conversation', 'elements/tool-chat-panel/panel-overlays', 'transports/cutie']),
  // For a first `<` where nothing can be called; notations stand on it.
  whole('text-mode', ['protocols/native-reader', 'protocols/read-whole']),
  whole('markdown', ['markdown/markdown', 'markdown/styles']),
  group('en', ['i18n/en']),
  // For a first tool, or a system prompt: what teaches, what reads the answer, and what the chart does about a call.
  whole('teaching', [
    ...ofCalls,
    ...['conversation/request/prompt-context', 'conversation/request/history', 'prompts/index', 'prompts/examples'],
    ...['protocols/xml-invoke', 'protocols/xml-invoke/parser'],
  ]),
  // For a first call: what it does, and how it looks.
  whole('calls', [
    'conversation/calls/tool-execution',
    'conversation/calls/editing',
    'tools/digest',
    'tools/fingerprint',
    'elements/tool-chat-call/tool-chat-call',
  ]),
  group(
    'wires',
    ['wire-messages', 'native-tools', 'message-ids', 'tool-indexes'].map((name) => `transports/${name}`),
  ),
  group('json', ['protocols/json/', ...['json-action', 'json-tool-calls', 'tool-code'].map((name) => `protocols/${name}/parser`)]),
  group(
    'json-prompts',
    ['json-prompt', 'json-action', 'json-tool-calls', 'tool-code'].flatMap((name) => [`protocols/${name}`, `protocols/${name}/prompt`]),
  ),
  ...Object.entries(lazyGroups).map(([name, modules]) => group(name, modules)),
];

/** A script that was inlined, evaluated or joined to others does not know where its files are: the page says it. */
const folderOfTheFiles = `const own=document.currentScript,base=own?.dataset.base||window.toolChatBase,toolChatScript=base?new URL(base+'/',document.baseURI):own?.src||location;`;

/** The first group that names a module has it. */
function group(name: string, modules: readonly string[]) {
  return {
    name,
    test: (id: string) => modules.some((module) => id.includes(placeOf(module))),
    includeDependenciesRecursively: false,
  };
}

function placeOf(module: string) {
  if (module.endsWith('/')) return module.startsWith('node_modules/') ? `/${module}` : `/src/${module}`;
  return module.startsWith('node_modules/') ? `/${module}.` : `/src/${module}.ts`;
}

/** These modules and all that they import at once. */
function whole(name: string, modules: readonly string[]) {
  return { ...group(name, modules), includeDependenciesRecursively: true };
}

export default defineConfig(({ mode }): UserConfig => {
  const classic = mode === 'iife';
  return {
    publicDir: false,
    // Vite would leave these to whoever bundles a library; nobody bundles these scripts after us.
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      withTrimmedXstate(),
      ownCopies(),
      languagesAlone(),
      stripCssPlugin(),
      ...(classic ? [chunksOfTheModule()] : [withoutRuntimeFile()]),
      ...(mode === 'production' ? [minifiedTwice()] : []),
    ],
    build: {
      target: 'es2022',
      outDir: 'dist',
      emptyOutDir: !classic,
      manifest: !classic, // dist/.vite/manifest.json: what loads what, for `npm run size`
      sourcemap: 'hidden', // for `npm run size`; not packed, so nothing points to them
      modulePreload: false,
      reportCompressedSize: false,
      ...(classic ? {} : { license: { fileName: 'third-party-licenses.md' } }), // instead of comments in each file
      lib: {
        entry,
        name: 'ToolChatScript',
        formats: [classic ? 'iife' : 'es'],
        fileName: () => (classic ? 'tool-chat.iife.js' : 'tool-chat.js'),
      },
      rolldownOptions: {
        transform: { inject: ownBuiltIns('src', 'ts') },
        preserveEntrySignatures: false, // the script exports nothing
        checks: { bundlerTimings: false }, // the report on our own plugins does not help the developer who builds
        output: {
          comments: false,
          // A library build keeps the white space of ES modules, for bundlers that come after it.
          minify: { compress: true, mangle: true, codegen: { removeWhitespace: true } },
          ...(classic ? { intro: folderOfTheFiles } : { chunkFileNames: 'chunks/[name]-[hash:7].js', codeSplitting: { groups } }),
        },
      },
    },
  };
});

/**
 * The round button is drawn without the engine, and the engine comes in one file: each has its own copy of the few lines that they share, for
 * a file of their own would be one more round trip. So have other languages, which stand on nothing else.
 */
function ownCopies(): Plugin {
  return {
    name: 'tool-chat:own-copies',
    enforce: 'pre',
    async resolveId(source, importer) {
      const from = /\/(launcher-button|engine|zh|ar|de|es|fr|ja)(?:-first)?\.ts$/.exec(importer ?? '')?.[1];
      if (from === undefined || !/\/(page-language|launcher|tool-chat\.styles|plural)\.js$/.test(source)) return null;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      return resolved && `${resolved.id}?${from}`;
    },
  };
}

function stripCssPlugin(): Plugin {
  return { name: 'tool-chat:strip-css', enforce: 'pre', transform: (code, id) => ({ ...stripped(code, id), map: null }) };
}

/** The bundler's own few lines stand in each file that needs them: a file of their own would be one more round trip. */
function withoutRuntimeFile(): Plugin {
  return {
    name: 'tool-chat:without-runtime-file',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        if (file.name === 'rolldown-runtime') Reflect.deleteProperty(bundle, file.fileName);
        file.imports = file.imports.filter((name) => !name.includes('rolldown-runtime'));
        file.code = file.code.replace(/import\{t as (\w+)\}from"\.\/rolldown-runtime[^"]*";/, (_, name: string) => {
          const define = 'Object.defineProperty(r,n,{get:from[n],enumerable:!0})';
          return `const ${name}=from=>{let r={};for(let n in from)${define};return r};`;
        });
      }
    },
  };
}

function withTrimmedXstate(): Plugin {
  return {
    name: 'tool-chat:with-trimmed-xstate',
    transform: {
      filter: { id: /\/xstate\/dist\// },
      handler(code, id) {
        const trimmed = trimmedXstate(id, code);
        return trimmed === undefined ? null : { code: trimmed, map: null };
      },
    },
  };
}

/** Browsers that read the hint compile these beside the page's own thread: most of what is in them runs as soon as they are there. */
const atOnce = new Set(['engine', 'widget']);

/** What the bundler's own minifier leaves in the chunks of an ordinary visit: 1 % of what a page downloads. */
function minifiedTwice(): Plugin {
  const ordinary = new Set(groups.map(({ name }) => name).filter((name) => !Object.hasOwn(lazyGroups, name)));
  return {
    name: 'tool-chat:minified-twice',
    async generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !ordinary.has(file.name)) continue;
        const map = bundle[`${file.fileName}.map`];
        const { code, map: newMap } = await minify(file.code, {
          ...{ module: true, compress: { ecma: 2022, passes: 3, sequences: false, keep_fargs: false, unsafe_arrows: true } },
          format: { ecma: 2022, ...(atOnce.has(file.name) && { preamble: '//# allFunctionsCalledOnLoad' }) },
          ...(map?.type === 'asset' && { sourceMap: { content: String(map.source) } }),
        });
        file.code = code ?? file.code;
        if (map?.type === 'asset' && newMap !== undefined) map.source = String(newMap);
      }
    },
  };
}

/**
 * Languages as data that stands on nothing of the page's scripts, so that the modules of the package hold the very same files (`build-package.mjs`).
 * Whoever loads one lays it over English.
 */
function languagesAlone(): Plugin {
  return {
    name: 'tool-chat:languages-alone',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/i18n\/[a-z]{2}\.ts$/ },
      handler: (code) => ({
        code: code.replace(/^import .* from '\.\/english-fallback\.js';$/m, 'const withEnglishFallback = <T>(words: T) => words;'),
        map: null,
      }),
    },
  };
}

/**
 * A classic script is one file: what it imports on demand are the chunks of the module build, beside it. A relative `import()` is
 * not enough: in a classic script from another origin it has no base address, so the script's own address is noted while it runs.
 */
function chunksOfTheModule(): Plugin {
  let manifest: Manifest = {};
  let module = '';
  return {
    name: 'tool-chat:chunks-of-the-module',
    buildStart() {
      manifest = JSON.parse(readFileSync('dist/.vite/manifest.json', 'utf8')) as Manifest;
      module = readFileSync('dist/tool-chat.js', 'utf8');
    },
    async resolveDynamicImport(specifier, importer) {
      if (typeof specifier !== 'string') return null;
      const resolved = await this.resolve(specifier, importer);
      const source = resolved?.id.slice(process.cwd().length + 1).replaceAll('\\', '/');
      const chunk = manifest[source ?? ''] ?? Object.values(manifest).find(({ name }) => source?.endsWith(`/${name ?? ''}.ts`));
      if (!chunk) this.error(`The module build has no chunk for ${specifier}: it is part of the launcher, or the build of it is old.`);
      return { id: `./${chunk.file}`, external: true };
    },
    renderChunk: (code) => ({
      code: code.replace(/\bimport\((["'`])\.\/(chunks\/[^"'`]+)["'`]\)/g, (_, quote: string, file: string) => {
        // Of a file that holds more than one module, the module build takes the one it wants.
        const [, take = ''] = new RegExp(`import\\(.\\./${file}.\\)(\\.then\\(\\w+=>\\w+\\.\\w+\\))?`).exec(module) ?? [];
        return `import(new URL(${quote}${file}${quote},toolChatScript))${take}`;
      }),
      map: null,
    }),
  };
}
