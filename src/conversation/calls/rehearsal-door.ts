/** Where a call finds out whether it is rehearsed; what that takes is loaded with the first that is. */
import { load } from '../../base/load.js';
import type { Log } from '../../base/logging.js';
import type { Turn } from '../chart/chart-context.js';
import type { Chart } from '../chart/services.js';
import type { Rehearsal } from './rehearsal.js';

/** Undefined where nothing is rehearsed: what the host runs by itself is not. */
export function createRehearsalDoor(chart: Chart, log: Log): (turn: Turn) => Promise<Rehearsal> | undefined {
  let made: Rehearsal | undefined;
  return ({ settings, manual }) =>
    settings.rehearse === 'off' || manual
      ? undefined
      : load(() => import('./rehearsal.js')).then(({ createRehearsal }) => (made ??= createRehearsal(chart, log)));
}
