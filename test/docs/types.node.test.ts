// CI only: it compiles every sample of the documentation
/** Samples in JavaScript, as the compiler sees them: no property or method that there is not. What a page has of its own is not looked for. */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { blocksOf, doors, page } from './pages.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Of ours or of the platform: no such member, export, property; not that many arguments. */
const WRONG = [2305, 2339, 2353, 2551, 2554, 2561, 2724];

/** The names that the pages use for what they do not introduce. */
const KNOWN = `import type { ToolChat } from '${root}src/index.js';
import type { Conversation } from '${root}src/core.js';
declare global { var chat: ToolChat; var conversation: Conversation; interface Window { toolChat: any } }`;

/** Whole modules of samples by name; `/virtual` files stand in the root, so that packages are found. */
function complaintsOf(samples: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    ...{ allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    ...{ moduleResolution: ts.ModuleResolutionKind.Bundler, types: ['node'] },
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    paths: Object.fromEntries(Object.entries(doors).map(([door, file]) => [door, [path.join(root, file)]])),
  };
  const host = ts.createCompilerHost(options);
  const own = new Map([...samples].map(([name, text]) => [path.join(root, name), text]));
  own.set(path.join(root, 'known.d.ts'), KNOWN);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (file) => own.has(file) || fileExists.call(host, file);
  host.readFile = (file) => own.get(file) ?? readFile.call(host, file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = own.get(file);
    return text === undefined ? getSourceFile.call(host, file, language, ...rest) : ts.createSourceFile(file, text, language, true);
  };
  const program = ts.createProgram([...own.keys()], options, host);
  return [...samples.keys()].flatMap((name) => {
    const file = program.getSourceFile(path.join(root, name));
    const wrong = program.getSemanticDiagnostics(file).filter(({ code }) => WRONG.includes(code));
    return [...program.getSyntacticDiagnostics(file), ...wrong].map(
      ({ messageText, code }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')} (${code})`,
    );
  });
}

describe('samples in JavaScript', () => {
  const pages = ['guides', 'stacks', '.'].flatMap((folder) =>
    readdirSync(path.join(root, 'docs', folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => path.posix.join(folder, file)),
  );

  it('can be read, and name nothing of ours that there is not', async () => {
    const samples = new Map<string, string>();
    for (const file of pages)
      for (const [at, { language, source }] of blocksOf(await page(`docs/${file}`)).entries())
        if (language === 'js') samples.set(`${file.replaceAll('/', '-')}-${String(at)}.mjs`, `${source}\nexport {};`);
    expect(samples.size).to.be.above(40);
    const wrong = { 'wrong.mjs': 'chat.decide = (call) => (call.nameOfTool === "pay" ? "deny" : "ask");\nexport {};' };
    expect(complaintsOf(new Map([...samples, ...Object.entries(wrong)]))).to.deep.equal([
      "wrong.mjs: Property 'nameOfTool' does not exist on type 'Call'. (2339)",
    ]);
  }).timeout(120_000);
});
