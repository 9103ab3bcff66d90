/** Decides whether a call gets a dry run. The code for that is loaded with the first one. */
import { load } from '../../base/load.js';
import type { Log } from '../../base/logging.js';
import type { Turn } from '../chart/chart-context.js';
import type { Chart } from '../chart/services.js';
import type { DryRun } from './dry-run.js';

/** The returned function gives undefined for turns without dry runs: they are turned off, or the host runs the tool itself. */
export function createLazyDryRun(chart: Chart, log: Log): (turn: Turn) => Promise<DryRun> | undefined {
  let made: DryRun | undefined;
  return ({ settings, manual }) =>
    settings.rehearse === 'off' || manual
      ? undefined
      : load(() => import('./dry-run.js')).then(({ createDryRun }) => (made ??= createDryRun(chart, log)));
}
