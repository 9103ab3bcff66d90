/** The attribute `inspect`: the inspector is shown next to the element while it is set. The inspector is loaded when it is first set. */
import { load } from '../base/load.js';
import type { Log } from '../base/logging.js';

/** Opens or closes the inspector. It can be called again. */
export async function syncInspector(panel: Element, log: Log, isOpen: boolean): Promise<void> {
  const { host } = panel.getRootNode() as ShadowRoot;
  try {
    const { openInspector, closeInspector } = await load(() => import('../inspector/dock-inspector.js'));
    if (isOpen) await openInspector(host as HTMLElement);
    else closeInspector(host as HTMLElement);
  } catch (error) {
    log.warn('inspector', 'A part of the widget could not be loaded: there is no inspector', {}, { error });
  }
}
