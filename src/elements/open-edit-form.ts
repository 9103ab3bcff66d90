/** Fetches the form for arguments when a person first wants to change some. */
import { loadAsked } from '../base/load.js';
import type { PanelServices } from './context.js';

/** False when it could not be fetched; that was said then, and the next try may find it. */
export async function openEditForm(services: PanelServices | undefined): Promise<boolean> {
  try {
    (await loadAsked(() => import('./edit-form.js'))).defineEditForm();
    return true;
  } catch {
    services?.announce(services.texts.loadFailed);
    return false;
  }
}
