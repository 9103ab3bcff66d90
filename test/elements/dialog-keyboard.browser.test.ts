/** The form for the arguments of a call, in the dialog of its question, while the keyboard of a phone covers half of the window. */
import { expect } from '@open-wc/testing';
import { executeServerCommand, resetMouse, setViewport } from '@web/test-runner-commands';
import { defineEditForm } from '../../src/elements/edit-form.js';
import { wholeEnglish } from '../../src/i18n/en.js';
import type { ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { appears, armed, atRest, find, findAll, frame, part, stage, until, waiting } from './helpers.js';

/** WebDriver, by which WebKit is driven, leaves the window as it is; a question fits into that, too. */
const canResize = navigator.userAgent.includes('Chrome') || navigator.userAgent.includes('Firefox');
const resize = (width: number, height: number) => (canResize ? setViewport({ width, height }) : Promise.resolve());

const names = Array.from({ length: 8 }, (_, at) => `field_${String(at)}`);

/** What is seen of the window; undefined = all of it. */
function see(height: number | undefined, offsetTop = 0) {
  const view = visualViewport as VisualViewport;
  for (const [name, value] of Object.entries({ height, offsetTop }))
    if (height === undefined) Reflect.deleteProperty(view, name);
    else Object.defineProperty(view, name, { configurable: true, get: () => value });
  view.dispatchEvent(new Event('resize'));
}

/** The form, open in the dialog, with the focus in its fields one after the other. */
async function open(): Promise<{ panel: ToolChatPanel; dialog: HTMLDialogElement; fields: HTMLElement[] }> {
  const surface = waiting({ args: Object.fromEntries(names.map((name) => [name, 'value'])), sentence: 'Write the form “A”' });
  surface.setCard({
    ...surface.view.cards['c1'],
    edit: { schema: { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }, sensitive: false, answered: 0 },
  } as never);
  const { panel } = await stage(surface, { width: 390, height: 700 });
  panel.approvalUi = 'dialog';
  await until(() => find<HTMLDialogElement>(panel, 'dialog')?.open === true, 'it does not open');
  const dialog = find(panel, 'dialog') as HTMLDialogElement;
  await armed(dialog, part('deny-button'));
  (find(dialog, part('edit-button')) as HTMLElement).click();
  await appears(dialog, '.apply');
  await atRest(panel);
  return { panel, dialog, fields: findAll(dialog, part('argument-field')) };
}

/** Whole, between the top and the bottom of what is seen, and before all else that is drawn there. */
function isSeen(element: Element, top: number, bottom: number): boolean {
  const rect = element.getBoundingClientRect();
  const [x, y] = [rect.left + rect.width / 2, rect.top + rect.height / 2];
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit)
    hit = hit.shadowRoot.elementFromPoint(x, y);
  return rect.height > 20 && rect.top >= top - 1 && rect.bottom <= bottom + 1 && element.contains(hit);
}

async function eachFieldIsSeen(dialog: Element, fields: readonly HTMLElement[], top: number, bottom: number) {
  for (const field of fields) {
    field.focus();
    visualViewport?.dispatchEvent(new Event('resize'));
    await frame();
    await until(() => isSeen(field, top, bottom), `${field.id} is covered`);
    for (const button of findAll(dialog, '.cancel, .apply')) expect(isSeen(button, top, bottom), button.className).to.equal(true);
  }
}

describe('the form of a question in a dialog over the keyboard of a phone', function () {
  this.timeout(20_000);
  before(() => {
    wholeEnglish();
    defineEditForm();
  });
  afterEach(async () => {
    see(undefined);
    await resize(800, 600);
    await resetMouse();
  });

  for (const [name, height, top] of [
    ['covers the lower half', 360, 0],
    ['covers it, and the page is shifted', 360, 120],
  ] as const)
    it(`shows the field that is written in and both verbs while the keyboard ${name}`, async () => {
      await resize(390, 760);
      const { dialog, fields } = await open();
      expect(fields).to.have.length(names.length);
      see(height, top);
      await eachFieldIsSeen(dialog, fields, top, top + height);
      see(undefined);
      await frame();
      expect([dialog.style.maxBlockSize, dialog.style.marginBlock]).to.deep.equal(['', '']);
    });

  it('shows them in a window that the keyboard has made smaller', async function () {
    if (!canResize) this.skip(); // see above
    await resize(390, 760);
    const { dialog, fields } = await open();
    await resize(390, 380);
    await until(() => innerHeight < 400, 'the window is not smaller');
    await eachFieldIsSeen(dialog, fields, 0, innerHeight);
  });

  it('is left alone by a person who really zooms in', async function () {
    if (!navigator.userAgent.includes('Chrome')) this.skip(); // the others cannot be told to zoom
    await resize(390, 760);
    const { panel, dialog } = await open();
    await executeServerCommand('zoom-in', 2);
    try {
      const view = visualViewport as VisualViewport;
      await until(() => view.scale > 1.9 && view.height < innerHeight / 1.9, 'nothing is larger');
      await frame();
      expect([dialog.style.maxBlockSize, dialog.style.marginBlock, panel.style.maxBlockSize]).to.deep.equal(['', '', '']);
    } finally {
      await executeServerCommand('zoom-in', 1);
    }
  });
});
