/** The attribute `inspect`: the inspector stands beside the element while it has it. It is loaded with the first that has. */
import { load } from '../base/load.js';
import type { Log } from '../base/logging.js';

export async function followInspect(element: HTMLElement, wanted: boolean, log: Log): Promise<void> {
  try {
    const { openInspector, closeInspector } = await load(() => import('../inspector/beside.js'));
    if (wanted) openInspector(element);
    else closeInspector(element);
  } catch (error) {
    log.warn('inspector', 'A part of the widget could not be loaded: there is no inspector', {}, { error });
  }
}
