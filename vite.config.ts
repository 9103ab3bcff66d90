/**
 * Builds the two scripts a page can load by a tag; `npm run build` runs both, then tsc builds the modules of the package.
 *
 *   vite build               dist/tool-chat.js, an ES module, and dist/chunks/: what it loads when it is needed
 *   vite build --mode iife   dist/tool-chat.iife.js, a classic script that loads the same chunks
 */
import { readFileSync } from 'node:fs';
import { defineConfig, type Manifest, type Plugin, type UserConfig } from 'vite';

const entry = 'src/script.ts';

/**
 * What is loaded together is one chunk: a file by itself costs some 200 bytes of gzip and a request. Everything not named here is split by
 * what is imported on demand. No group may make a session with our relay and our notation load those of others; `npm run size` tells.
 */
const groups = [
  // The round button is drawn without an engine.
  group('language', ['elements/page-language', 'i18n/launcher']),
  // An open panel: all that the engine imports. What is loaded later stands on it.
  whole('widget', ['conversation/conversation', ...['define-parts', 'decisions', 'more-options'].map((name) => `elements/${name}`)]),
  // For a first answer. Other wires and notations stand on both.
  whole('reply', ['transports/cutie', 'protocols/xml-invoke/parser']),
  group('schemas', ['model/json-schema', 'tools/schema-parts', 'tools/patterns']),
  // For a first tool, or a system prompt.
  group('teaching', [
    ...['conversation/request/prompt-context', 'conversation/request/history', 'tools/describe-tools', 'tools/warnings'],
    ...['index', 'macros', 'prompt-texts', 'results', 'system-prompt', 'tool-section'].map((name) => `prompts/${name}`),
    ...['xml-invoke', 'xml-invoke/prompt', 'describe-parameters', 'example', 'neutralise', 'tool-requests'].map(
      (name) => `protocols/${name}`,
    ),
  ]),
  group(
    'wires',
    ['wire-messages', 'offered-tools', 'message-ids', 'tool-indexes'].map((name) => `transports/${name}`),
  ),
  group('json', ['protocols/json/', ...['json-action', 'json-tool-calls', 'tool-code'].map((name) => `protocols/${name}/parser`)]),
  group(
    'json-prompts',
    ['json-prompt', 'json-action', 'json-tool-calls', 'tool-code'].flatMap((name) => [`protocols/${name}`, `protocols/${name}/prompt`]),
  ),
];

/** The first group that names a module has it. */
function group(name: string, modules: readonly string[]) {
  return {
    name,
    test: (id: string) => modules.some((module) => id.includes(`/src/${module}${module.endsWith('/') ? '' : '.ts'}`)),
    includeDependenciesRecursively: false,
  };
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
    plugins: [withoutIndentation(), withoutSpaceInStyles(), ...(classic ? [chunksOfTheModule()] : [])],
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
        preserveEntrySignatures: false, // the script exports nothing
        output: {
          comments: false,
          // A library build keeps the white space of ES modules, for bundlers that come after it.
          minify: { compress: true, mangle: true, codegen: { removeWhitespace: true } },
          ...(classic
            ? { intro: 'const toolChatScript = document.currentScript?.src || location.href;' }
            : { chunkFileNames: 'chunks/[name]-[hash:7].js', codeSplitting: { groups } }),
        },
      },
    },
  };
});

/** Markup and styles of the elements keep their line breaks and lose their indentation: 1 % of what a page downloads. */
function withoutIndentation(): Plugin {
  return {
    name: 'tool-chat:without-indentation',
    enforce: 'pre',
    transform: {
      filter: { id: { include: /\/src\/elements\/.*\.ts$/, exclude: /styles\.ts$/ } },
      handler: (code) => ({ code: code.replace(/\n[ \t]+/g, '\n'), map: null }),
    },
  };
}

/** Comments and white space that mean nothing in CSS are left out of the templates that hold it. */
function withoutSpaceInStyles(): Plugin {
  const compact = (css: string) =>
    css
      .replace(/\/\*[^]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      // What is quoted or put in stays; a colon only loses the blank behind it, for the one before may stand between two selectors.
      .replace(/('[^']*'|"[^"]*"|\$\{[^}]*\})| ?([{};,]) ?|: /g, (found, kept?: string, mark?: string) => kept ?? mark ?? found.trim())
      .replace(/;}/g, '}')
      .trim();
  return {
    name: 'tool-chat:without-space-in-styles',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/.*styles\.ts$/ },
      handler: (code) => ({ code: code.replace(/`[^`]*`/g, (template) => `\`${compact(template.slice(1, -1))}\``), map: null }),
    },
  };
}

/**
 * A classic script is one file: what it imports on demand are the chunks of the module build, beside it. A relative `import()` is
 * not enough: in a classic script from another origin it has no base address, so the script's own address is noted while it runs.
 */
function chunksOfTheModule(): Plugin {
  let manifest: Manifest = {};
  return {
    name: 'tool-chat:chunks-of-the-module',
    buildStart() {
      manifest = JSON.parse(readFileSync('dist/.vite/manifest.json', 'utf8')) as Manifest;
    },
    async resolveDynamicImport(specifier, importer) {
      if (typeof specifier !== 'string') return null;
      const resolved = await this.resolve(specifier, importer);
      const source = resolved?.id.slice(process.cwd().length + 1).replaceAll('\\', '/');
      const chunk = source === undefined ? undefined : manifest[source];
      if (!chunk) this.error(`The module build has no chunk for ${specifier}: it is part of the launcher, or the build of it is old.`);
      return { id: `./${chunk.file}`, external: true };
    },
    renderChunk: (code) => ({
      code: code.replace(/\bimport\((["'`])\.\/(chunks\/[^"'`]+["'`])\)/g, 'import(new URL($1$2,toolChatScript))'),
      map: null,
    }),
  };
}
