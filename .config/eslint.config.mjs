/**
 * Few rules, all errors: what the compiler cannot see and a reader would miss. Formatting is Prettier's.
 *
 * With `LINT=fast` the rules that need types are left out: they take five times as long as all others. `npm test` lints so, CI with types.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import lit from 'eslint-plugin-lit';
import litA11y from 'eslint-plugin-lit-a11y';
import wc from 'eslint-plugin-wc';
import tseslint from 'typescript-eslint';
import { whyNot } from './layers.mjs';
import { citesOutside, opensPoorly } from './comment-rules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const typed = process.env.LINT !== 'fast';

const project = {
  rules: {
    'only-downwards': {
      meta: { type: 'problem', schema: [] },
      create(context) {
        const check = (node) => {
          const { source } = node;
          if (typeof source?.value !== 'string') return;
          const message = whyNot(path.join(root, 'src'), context.filename, source.value, node.type === 'ImportExpression');
          if (message) context.report({ node: source, message });
        };
        return {
          ImportDeclaration: check,
          ExportNamedDeclaration: check,
          ExportAllDeclaration: check,
          ImportExpression: check,
          TSImportType: check,
        };
      },
    },
    comments: {
      meta: { type: 'problem', schema: [] },
      create: (context) => ({
        Program() {
          let last;
          for (const { type, value, loc } of context.sourceCode.getAllComments()) {
            // A line below a line goes on with its sentence.
            const goesOn = type === 'Line' && last?.type === 'Line' && last.loc.end.line === loc.start.line - 1;
            last = { type, loc };
            const opening = goesOn ? undefined : opensPoorly(value);
            if (opening) context.report({ loc, message: `Begin with a subject or a verb instead of "${opening}".` });
            const cited = citesOutside(value);
            if (cited) context.report({ loc, message: `"${cited}" is no page of this repository: say the reason itself.` });
          }
        },
      }),
    },
  },
};

const MARKUP =
  '/^(innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|parseFromString|unsafeHTML|unsafeSVG|unsafeStatic|srcdoc)$/';
/** What is loaded when it is needed goes through one function: it asks once more, and is the place to look at. */
const oneDoor = {
  selector: 'ImportExpression:not(CallExpression[callee.name=/^load(For|ForUser|Twice)?$/] > ArrowFunctionExpression > ImportExpression)',
  message: 'Write load(() => import(…)), of src/base/load.ts.',
};

const noMarkup = [
  { selector: `MemberExpression[property.name=${MARKUP}]`, message: 'Text becomes nodes, never markup.' },
  { selector: `MemberExpression[property.value=${MARKUP}]`, message: 'Text becomes nodes, never markup.' },
  { selector: `ImportSpecifier[imported.name=${MARKUP}]`, message: 'Text becomes nodes, never markup.' },
  {
    selector: "CallExpression[callee.object.name='document'][callee.property.name=/^write(ln)?$/]",
    message: 'Text becomes nodes, never markup.',
  },
];
const noTestOnly = [
  {
    selector: "MemberExpression[object.name=/^(it|describe|context|specify)$/][property.name='only']",
    message: 'A test that runs alone hides all others.',
  },
];

/** Rules that need types. */
const WITH_TYPES = [
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'demo/**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
      '@typescript-eslint/consistent-type-assertions': 'error',
      '@typescript-eslint/no-deprecated': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      // `.equal()` is no promise, though the types of @open-wc/testing say so.
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: ['Equal'] }],
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false, attributes: false, properties: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
    },
  },
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', 'coverage/**'] },
  { linterOptions: { reportUnusedDisableDirectives: typed ? 'error' : 'off' } },
  {
    files: ['**/*.{ts,mts,mjs,js}'],
    languageOptions: { parser: tseslint.parser, ecmaVersion: 'latest', sourceType: 'module' },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      'array-callback-return': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-async-promise-executor': 'error',
      'no-cond-assign': 'error',
      'no-constant-binary-expression': 'error',
      'no-control-regex': 'error',
      'no-dupe-keys': 'error',
      'no-empty': ['error', { allowEmptyCatch: true }],
      'no-eval': 'error',
      'no-fallthrough': 'error',
      'no-implied-eval': 'error',
      'no-irregular-whitespace': 'error',
      'no-misleading-character-class': 'error',
      'no-new-func': 'error',
      'no-proto': 'error',
      'no-prototype-builtins': 'error',
      'no-regex-spaces': 'error',
      'no-script-url': 'error',
      'no-self-compare': 'error',
      'no-sparse-arrays': 'error',
      'no-unsafe-finally': 'error',
      'no-unsafe-optional-chaining': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': ['error', { destructuring: 'all' }],
      'use-isnan': 'error',
      'valid-typeof': 'error',
    },
  },
  ...(typed ? WITH_TYPES : []),
  { files: ['{src,demo}/**/*.{ts,mts,mjs,js}'], plugins: { project }, rules: { 'project/comments': 'error' } },
  {
    files: ['src/**/*.ts'],
    plugins: { project },
    rules: {
      'project/only-downwards': 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...noMarkup, oneDoor],
    },
  },
  // Tables whose entries load on demand; the launcher, which must stay small; and what runs on servers and in tests.
  {
    files: [
      'src/{protocols/built-in-protocols,transports/built-in-wires,elements/tool-chat/tool-chat}.ts',
      'src/{relay,testing,scripted-model}/**/*.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ...noMarkup] },
  },
  // It puts the parts together in the order in which they are made: none is handed what does not exist yet.
  {
    files: ['src/conversation/build-conversation.ts'],
    rules: { '@typescript-eslint/no-use-before-define': ['error', { functions: false }], 'max-lines-per-function': ['error', 150] },
  },
  // What writes to the console when the host names no other place.
  { files: ['src/base/log.ts', 'src/relay/relay-log.ts'], rules: { 'no-console': 'off' } },
  // The launcher warns before the logger is loaded.
  {
    files: ['src/elements/tool-chat/*.ts', 'src/elements/page-warnings.ts', 'src/{define,script}.ts'],
    rules: { 'no-console': ['error', { allow: ['warn'] }] },
  },
  {
    files: ['src/elements/**/*.ts', 'demo/**/*.{ts,mjs,js}'],
    ...merge(lit.configs['flat/recommended'], wc.configs['flat/best-practice'], {
      plugins: { 'lit-a11y': litA11y },
      rules: litA11y.configs.recommended.rules,
    }),
  },
  { files: ['demo/**/*.{ts,mjs,js}'], rules: { 'no-restricted-syntax': ['error', ...noMarkup] } },
  { files: ['test/**/*.{ts,mjs}'], rules: { 'no-restricted-syntax': ['error', ...noTestOnly] } },
);

function merge(...configs) {
  return {
    plugins: Object.assign({}, ...configs.map((config) => config.plugins)),
    rules: Object.assign({}, ...configs.map((config) => config.rules)),
  };
}
