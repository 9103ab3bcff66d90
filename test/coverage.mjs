/** Which lines of the source the tests run, from V8's own counts, and the least that each of these folders owes. */
import { readFileSync } from 'node:fs';
import { Report } from 'c8';
import ts from 'typescript';

/** Percent of lines, with those that no test loads. */
const LEAST = { protocols: 90, conversation: 90, tools: 90, storage: 90 };
const FOLDERS = Object.keys(LEAST);

/**
 * @param {string} folder Where NODE_V8_COVERAGE wrote to.
 * @param {object} [inBrowser] What tests in Chromium ran, by file: what needs the database, locks and tabs of a browser is tried there.
 * @returns {Promise<{text: string, low: string[]}>} `low` names the folders that fall short.
 */
export async function checkCoverage(folder, inBrowser = {}) {
  const report = new Report({
    tempDirectory: folder,
    include: FOLDERS.map((name) => `src/${name}/**/*.ts`),
    exclude: [],
    all: true,
    src: ['.'],
    excludeAfterRemap: true,
    reporter: [],
    resolve: '',
    omitRelative: true,
  });
  const map = await report.getCoverageMapFromAllCoverageFiles();
  map.merge(inBrowser);
  const counts = new Map(FOLDERS.map((name) => [name, { lines: 0, covered: 0, files: [] }]));
  for (const file of map.files()) {
    const relative = file.replaceAll('\\', '/').split('/src/').at(-1);
    const entry = counts.get(relative.split('/')[0]);
    if (!entry) continue;
    const { total, covered } = map.fileCoverageFor(file).toSummary().lines;
    // Nothing but types: there is nothing to run.
    if (covered === 0 && isErased(file)) continue;
    entry.lines += total;
    entry.covered += covered;
    entry.files.push([relative, covered / total, total - covered]);
  }
  const low = [];
  const lines = [];
  for (const [name, { lines: all, covered, files }] of counts) {
    const percent = all === 0 ? 0 : (100 * covered) / all;
    const worst = files.sort((a, b) => b[2] - a[2]).slice(0, 5);
    lines.push(
      `${name}: ${percent.toFixed(1)} % of ${all} lines; most is missing in ${worst.map(([file, , missing]) => `${file} (${missing})`).join(', ')}`,
    );
    if (percent < LEAST[name]) low.push(`coverage: ${name} has ${percent.toFixed(1)} % of its lines, less than ${LEAST[name]} %`);
  }
  return { text: lines.join('\n'), low };
}

function isErased(file) {
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, removeComments: true, verbatimModuleSyntax: true },
  });
  return outputText.trim() === 'export {};';
}
