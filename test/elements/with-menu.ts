import { en } from '../../src/i18n/en.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { FakeSurface } from './fake-surface.js';
import { click, find, part, stage, until } from './helpers.js';

/** A panel whose menu is open. */
export async function withMenu(view: Partial<ViewSnapshot>, texts = en) {
  const surface = new FakeSurface(view);
  surface.conversations = { kept: false } as NonNullable<FakeSurface['conversations']>;
  surface.files = {} as NonNullable<FakeSurface['files']>;
  const { panel } = await stage(surface, { texts });
  await until(() => find(panel, part('menu-button')) !== undefined, 'the menu’s button');
  await click(find(panel, part('menu-button'))!);
  await until(() => find(panel, '[data-item=grants]') !== undefined, 'the menu');
  return { surface, panel };
}
