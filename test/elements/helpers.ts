/** What the tests of the elements share: a panel on the page, and calls that wait in it. */
import { fixture } from '@open-wc/testing';
import { html } from 'lit';
import type { CardView } from '../../src/model/calls.js';
import type { ConversationSurface } from '../../src/model/snapshot.js';
import '../../src/elements/tool-chat-message/tool-chat-message.js';
import { defineBanners } from '../../src/elements/tool-chat-panel/lazy-banners.js';
import { createPanel, type ToolChatPanel } from '../../src/elements/tool-chat-panel/tool-chat-panel.js';
import { allowDecisions, type ApprovalConditions } from '../../src/elements/decisions.js';
import type { Decision } from '../../src/model/decision.js';
import { exportPanel } from '../../src/elements/parts.js';
import { en, type Texts } from '../../src/i18n/en.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';

export * from './doing.js';
export * from './looking.js';

export interface PanelOptions {
  texts?: Texts;
  lang?: string;
  width?: number;
  height?: number;
  conditions?: ApprovalConditions;
  /** Further properties of the panel. Default: a tool can be chosen. */
  more?: Partial<Pick<ToolChatPanel, 'toolPicker' | 'attaches' | 'models' | 'suggestions' | 'quickCommands' | 'templates'>>;
}

export interface Stage {
  panel: ToolChatPanel;
  decided: Decision[];
}

/** A panel in a box of its own, and the decisions that reach its engine. */
export async function stage(surface: ConversationSurface, options: PanelOptions = {}): Promise<Stage> {
  const { texts = en, lang = 'en', width = 480, height = 560, conditions = {}, more = { toolPicker: true } } = options;
  const box = await fixture<HTMLElement>(html`<main></main>`);
  Object.assign(box.style, { position: 'fixed', inset: '0 auto auto 0', width: `${String(width)}px`, height: `${String(height)}px` });
  const panel = createPanel();
  defineBanners();
  const decided: Decision[] = [];
  allowDecisions(panel, (decision) => decided.push(decision), conditions);
  Object.assign(panel, { surface, texts, lang, theme: 'light', ...more });
  // As in the widget: in a shadow root, which hands its parts on.
  panel.setAttribute('exportparts', exportPanel);
  const host = document.createElement('div');
  host.style.height = '100%';
  host.attachShadow({ mode: 'open' }).append(panel);
  box.append(host);
  await panel.updateComplete;
  return { panel, decided };
}

/** One call that waits, and whatever the test changes about it; its arguments can be changed where there is `edit`. */
export function waiting(change: Parameters<typeof call>[1] = {}, edit?: CardView['edit']): FakeSurface {
  const surface = several(1, () => change);
  if (edit) surface.setCard({ ...surface.view.cards['c1']!, edit });
  return surface;
}

/** Several calls that wait: `c1`, `c2`, …. */
export function several(count: number, change: (id: string) => Parameters<typeof call>[1] = () => ({}), name = 'c'): FakeSurface {
  const ids = Array.from({ length: count }, (_, at) => `${name}${String(at + 1)}`);
  return new FakeSurface({
    isLoading: true,
    activities: ['awaitingApproval'],
    views: [user('u1', 'Delete them'), assistant('a1', ['Please confirm.', ...ids.map((id) => ({ call: id }))])],
    cards: Object.fromEntries(ids.map((id) => [id, card(id, 'awaiting_approval', { call: call(id, change(id)) })])),
  });
}
