/** The attribute `inspect`: the inspector stands beside the element while it has it. It is loaded with the first that has. */
import { load } from '../base/load.js';
import type { Log } from '../base/logging.js';

/** Safe to call again. */
export async function followInspect(panel: Element, log: Log, wanted: boolean): Promise<void> {
  const { host } = panel.getRootNode() as ShadowRoot;
  try {
    const { openInspector, closeInspector } = await load(() => import('../inspector/beside.js'));
    if (wanted) await openInspector(host as HTMLElement);
    else closeInspector(host as HTMLElement);
  } catch (error) {
    log.warn('inspector', 'A part of the widget could not be loaded: there is no inspector', {}, { error });
  }
}
