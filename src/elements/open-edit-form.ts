/** Loads the form for arguments when the user first wants to change some. */
import { loadForUser } from '../base/load.js';
import type { PanelServices } from './context.js';

/** Returns false if the form could not be loaded. This is announced, and the next attempt may succeed. */
export async function openEditForm(services: PanelServices | undefined): Promise<boolean> {
  try {
    await loadForUser(() => import('./tool-chat-edit/tool-chat-edit.js'));
    return true;
  } catch {
    services?.announce(services.texts.loadFailed);
    return false;
  }
}
