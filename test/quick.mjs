/** Which tests `npm run test:quick` runs: those that changed, those whose imports changed, nearest first, and a few that notice most. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { importersOf } from './select.mjs';

/** One for each part that everything leans on; about ten seconds together. */
const SMOKE = ['conversation/turn', 'protocols/names', 'tools/approval-policy'].map((name) => `test/${name}.node.test.ts`);

/** What a minute has room for, on two cores. */
const MOST = { node: 8, browser: 2 };

/** Too long for a minute, however near they are. */
const LONG = /\/(?:corpus|properties|walks|taint|redis|consumers|stacks)\.node\.test\.ts$|\/faults\/relay\.node\.test\.ts$/;

export async function likelyBroken() {
  const changed = changedFiles();
  const { near, far } = tests(changed);
  const pick = (suffix, most) => near.filter((file) => file.endsWith(suffix)).slice(0, most);
  const node = [...new Set([...pick('.node.test.ts', MOST.node), ...SMOKE.filter(existsSync)])];
  const browser = pick('.browser.test.ts', MOST.browser);
  const left = [...near, ...far].filter((file) => !node.includes(file) && !browser.includes(file)).length;
  return {
    changed,
    code: changed.filter((file) => /^(?:src|test|demo)\/.*\.(?:ts|mjs|js)$/.test(file)),
    ...{ node, browser },
    note: `${changed.length} changed files; runs ${node.length} files of tests in Node and ${browser.length} in Chromium, leaves ${left} that could be concerned to npm test`,
  };
}

/** Against the branch `main`; on `main` itself, what is not committed, or else the last commit. */
function changedFiles() {
  const git = (...args) => {
    const { stdout, status } = spawnSync('git', args, { encoding: 'utf8' });
    return status === 0 ? stdout.split('\n').filter(Boolean) : [];
  };
  const [base] = git('merge-base', 'HEAD', 'main');
  const since = (commit) => [...git('diff', '--name-only', '--diff-filter=d', commit), ...git('ls-files', '-o', '--exclude-standard')];
  const found = since(base ?? 'HEAD');
  return [...new Set(found.length > 0 ? found : since('HEAD~1'))].filter(existsSync);
}

/** Tests by how many imports are between them and a change: `near` up to two, the changed ones first. */
function tests(changed) {
  const importers = importersOf(['src', 'test']);
  const distance = new Map(changed.map((file) => [file, 0]));
  for (const file of distance.keys())
    for (const importer of importers.get(file) ?? []) if (!distance.has(importer)) distance.set(importer, distance.get(file) + 1);
  const found = [...distance].filter(([file]) => file.endsWith('.test.ts')).sort(([, a], [, b]) => a - b);
  const isNear = ([file, steps]) => steps === 0 || (steps <= 2 && !LONG.test(`/${file}`));
  return { near: found.filter(isNear).map(([file]) => file), far: found.filter((each) => !isNear(each)).map(([file]) => file) };
}
