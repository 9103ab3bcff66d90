/**
 * Makes a floating panel expandable, movable and resizable: by its header, by two grips, and by keys. The user's choice is saved for the
 * next visit.
 */
import { addSheet, createSheet } from '../base/style-sheets.js';
import { fullEnglish } from '../i18n/en.js';
import {
  cornerOf,
  fitSize,
  positionOf,
  parsePosition,
  resizedBox,
  formatPosition,
  type Box,
  type PanelPosition,
} from './panel-geometry.js';
import { positionPanel } from './layout-controller.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';
import { SizeObserver } from '../base/dom-features.js';

fullEnglish();

/**
 * In a small window the panel fills the window, and in print it has its default position. The first rule in the first block holds the
 * user's position.
 */
const positionCss = `
@media screen and (min-width:480.02px) and (min-height:480.02px){:host(:state(floating)) tool-chat-panel:not([data-large]){}}
@media (min-width:480.02px) and (min-height:480.02px){
  :host(:state(floating)) tool-chat-panel[data-large]{position:fixed;inset:24px 16px calc(var(--_button) + 32px) auto;translate:none!important;inline-size:min(calc(100vw / var(--_zoom,1) - 32px),max(896px,var(--tool-chat-width,0px)));block-size:auto}
  :host(:state(floating)) tool-chat-panel[data-large][data-from-left]{inset-inline:auto;left:16px}
  :host(:state(floating)) tool-chat-panel[data-large][data-from-top]{inset-block:calc(var(--_button) + 32px) 24px}
}`;

/** The grips are half outside of the panel, so that they do not cover any controls. */
const css = `
.grip{--_out:-10px;position:absolute;z-index:4;display:block;width:24px;height:24px;min-height:0;padding:0;border:0;background:none!important;opacity:0;touch-action:none}
:host(:hover) .grip,.grip:focus-visible,.grip[aria-pressed=true]{opacity:1}
.grip::before{content:'';position:absolute;border:0 solid var(--_edge)}
.grip:is(:hover,[aria-pressed=true])::before{border-color:var(--_accent)}
.move{inset:var(--_out) calc(50% - 24px) auto;width:48px;cursor:move}
.move::before{inset:calc(4px - var(--_out)) 6px auto;border-top-width:4px;border-radius:2px}
.size{inset:var(--_out) auto auto var(--_out);cursor:nwse-resize}
.size[data-right]{inset-inline:auto;left:auto;right:var(--_out);rotate:90deg;cursor:nesw-resize}
.size[data-bottom]{top:auto;bottom:var(--_out);rotate:-90deg;cursor:nesw-resize}
.size[data-right][data-bottom]{rotate:180deg;cursor:nwse-resize}
.size::before{inset:calc(4px - var(--_out)) 0 0 calc(4px - var(--_out));width:16px;height:16px;border-width:3px 0 0 3px;border-top-left-radius:calc(var(--_radius) + 4px)}
:host([data-large]) .grip,:host(:not([layout=floating])) .grip{display:none}
@media (pointer:coarse){.grip{--_out:-20px;opacity:1}}
@media print,(max-width:480px),(max-height:480px){.grip{display:none}}
@media (forced-colors:active){.grip::before{border-color:ButtonText!important}}
`;

/** Shortest drag in CSS pixels. Less is a click. */
const MIN_DRAG = 4;

/** Distance in CSS pixels of an arrow key, and with Shift. */
const STEP = 16;
const LONG_STEP = 64;

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Elements that handle a press themselves. */
const INTERACTIVE = 'button,a,input,textarea,select,label,summary,[contenteditable],[tabindex],[draggable=true]';

interface Gesture {
  readonly resizes: boolean;
  readonly x: number;
  readonly y: number;
  readonly box: Box;
  readonly before: PanelPosition | undefined;
  /** True if the panel follows the pointer without a pressed button, until the next press. */
  readonly isHeld: boolean;
  readonly controller: AbortController;
  moved: boolean;
}

/**
 * Adds the grips and gestures. Returns a function that toggles between expanded and normal size.
 * @param first the event that caused the load: a finger may already be on the header
 */
export function enableDragResize(element: HTMLElement, panel: ToolChatPanel, first?: Event): () => void {
  // Style sheets belong to the document of the script, which the element may have left meanwhile.
  if (element.ownerDocument !== document) return () => undefined;
  const drag = new DragResize(element, panel);
  if (first instanceof PointerEvent && first.pointerType === 'touch' && capture(panel, first.pointerId)) {
    panel.releasePointerCapture(first.pointerId);
    drag.begin(false, first.clientX, first.clientY, first);
  }
  return () => {
    drag.end(true);
    writeStored('large', panel.toggleAttribute('data-large') ? '1' : undefined);
    panel.requestUpdate();
  };
}

class DragResize {
  readonly #element: HTMLElement;
  readonly #panel: ToolChatPanel;
  readonly #move = createGrip('move');
  readonly #size = createGrip('size');
  /** The style rule of the user's position. */
  readonly #style: CSSStyleDeclaration;
  #position = parsePosition(readStored('place'));
  /** The place before it was reset, so that a second reset restores it. */
  #resetFrom: PanelPosition | undefined;
  /** The place when the grip got the focus. */
  #positionAtFocus: PanelPosition | undefined;
  #gesture: Gesture | undefined;
  /** True after a drag: two drags from one point are not a double click. */
  #dragged = false;

  constructor(element: HTMLElement, panel: ToolChatPanel) {
    this.#element = element;
    this.#panel = panel;
    const [outer, inner] = [createSheet(positionCss), createSheet(css)];
    addSheet(element.shadowRoot as ShadowRoot, outer);
    addSheet(panel.shadowRoot as ShadowRoot, inner);
    this.#style = ((outer.cssRules[0] as CSSMediaRule).cssRules[0] as CSSStyleRule).style;
    panel.shadowRoot?.append(this.#move, this.#size);
    this.#listenToPanel();
    for (const grip of [this.#move, this.#size]) this.#listenToGrip(grip);
    this.#updateLabels();
    this.#applyPosition();
    this.#followWindow();
  }

  /** Begins to move or resize the panel at a point. Without `pointer`, the panel follows the pointer until the next press. */
  begin(resizes: boolean, x: number, y: number, pointer?: PointerEvent): void {
    this.end(true);
    this.#dragged = false;
    if (!this.#canMove) return;
    const panel = this.#panel;
    const grip = resizes ? this.#size : this.#move;
    const controller = new AbortController();
    const options = { capturePointer: true, signal: controller.signal };
    this.#gesture = { ...{ resizes, x, y, controller }, box: boxOf(panel), before: this.#position, isHeld: !pointer, moved: false };
    const isOther = (event: PointerEvent) => pointer && event.pointerId !== pointer.pointerId;
    const follow = (event: PointerEvent) => {
      const current = this.#gesture;
      if (!current || isOther(event)) return;
      const [dx, dy] = [event.clientX - current.x, event.clientY - current.y];
      if (!current.moved && Math.hypot(dx, dy) < MIN_DRAG) return;
      if (!current.moved && pointer) capture(panel, pointer.pointerId);
      current.moved = this.#dragged = true;
      this.#dragBy(current.resizes, current.box, dx, dy);
    };
    addEventListener('pointermove', follow, options);
    addEventListener('pointerup', (event) => !this.#gesture?.isHeld && !isOther(event) && this.end(true), options);
    addEventListener('pointercancel', (event) => !isOther(event) && this.end(false), options);
    addEventListener('keydown', (event) => this.#cancelByEscape(event), options);
    if (pointer) return;
    grip.ariaPressed = 'true';
    // A press ends the gesture and has no other effect.
    addEventListener(
      'pointerdown',
      (event) => {
        stopEvent(event);
        if (!event.composedPath().includes(grip)) follow(event);
        if (this.#gesture) this.#gesture.moved = true;
        this.end(true);
      },
      options,
    );
  }

  end(accept: boolean): void {
    if (!this.#gesture) return;
    const { controller, moved, before } = this.#gesture;
    this.#gesture = undefined;
    controller.abort();
    this.#move.ariaPressed = this.#size.ariaPressed = 'false';
    if (!accept) this.#position = before;
    else if (moved) this.#savePosition();
    this.#applyPosition();
    if (moved) suppressClick();
  }

  get #canMove(): boolean {
    return getComputedStyle(this.#move).display !== 'none';
  }

  get #anchorEdges() {
    return { left: this.#panel.hasAttribute('data-from-left'), top: this.#panel.hasAttribute('data-from-top') };
  }

  /** Applies the place, limited to the current window. */
  #applyPosition(): void {
    const panel = this.#panel;
    if (!panel.isConnected || !this.#canMove) return;
    const position = this.#position;
    const room = visibleBox();
    const fitted = position && fitSize(position, room);
    this.#style.inlineSize = fitted?.width === undefined ? '' : `${String(fitted.width)}px`;
    this.#style.blockSize = fitted?.height === undefined ? '' : `${String(fitted.height)}px`;
    if (!position) this.#style.translate = '';
    // The launcher button may have appeared or changed sides since the panel was opened.
    if (!this.#gesture) positionPanel(this.#element, panel);
    if (position && panel.offsetWidth > 0) this.#translateTo(position, room);
    // Show the resize handle at the corner that has room to grow.
    if (this.#gesture || panel.offsetWidth === 0) return;
    const box = panel.getBoundingClientRect();
    this.#size.toggleAttribute('data-right', box.left + box.right < 2 * room.left + room.width);
    this.#size.toggleAttribute('data-bottom', box.top + box.bottom < 2 * room.top + room.height);
  }

  /** Computes the position from the layout, without the current translation and its transition. */
  #translateTo(position: PanelPosition, room: Box): void {
    const panel = this.#panel;
    const host = this.#element.getBoundingClientRect();
    const size = { left: 0, top: 0, width: panel.offsetWidth, height: panel.offsetHeight };
    const { left, top } = cornerOf(position, size, room, this.#anchorEdges);
    const x = left - host.left - this.#element.clientLeft - panel.offsetLeft;
    const y = top - host.top - this.#element.clientTop - panel.offsetTop;
    this.#style.setProperty('translate', `${String(x)}px ${String(y)}px`, 'important');
  }

  #savePosition(): void {
    writeStored('place', this.#position && formatPosition(this.#position));
  }

  #setPosition(next: PanelPosition | undefined): void {
    this.#position = next;
    this.#applyPosition();
  }

  /** Moves or resizes the panel by a distance from its initial box. */
  #dragBy(resizes: boolean, box: Box, dx: number, dy: number): void {
    const room = visibleBox();
    const edges = this.#anchorEdges;
    const corner = { left: !this.#size.hasAttribute('data-right'), top: !this.#size.hasAttribute('data-bottom') };
    const target = resizes ? resizedBox(dx, dy, box, room, corner) : { ...box, left: box.left + dx, top: box.top + dy };
    const result = positionOf({ ...target, ...cornerOf(positionOf(target, room, edges), target, room, edges) }, room, edges);
    const { width, height } = resizes ? target : (this.#position ?? {});
    this.#setPosition({ ...result, ...(width !== undefined && height !== undefined && { width, height }) });
  }

  #cancelByEscape(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    stopEvent(event);
    this.end(false);
  }

  /** Moves the panel back to its default place; a second call restores the user's place. */
  #togglePosition(): void {
    this.end(true);
    [this.#position, this.#resetFrom] = this.#position ? [undefined, this.#position] : [this.#resetFrom, undefined];
    this.#savePosition();
    this.#applyPosition();
  }

  #listenToPanel(): void {
    const panel = this.#panel;
    panel.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      const path = event.composedPath();
      const resizes = path.includes(this.#size);
      if (resizes || path.includes(this.#move) || isHeader(path, panel)) this.begin(resizes, event.clientX, event.clientY, event);
    });
    // Keep the focus in the text field, and select no text.
    panel.addEventListener('mousedown', (event) => {
      if (this.#gesture && isHeader(event.composedPath(), panel)) event.preventDefault();
    });
    panel.addEventListener('dblclick', (event) => {
      const path = event.composedPath();
      const isHandle = path.includes(this.#move) || path.includes(this.#size) || isHeader(path, panel);
      if (!this.#dragged && this.#canMove && isHandle) this.#togglePosition();
    });
  }

  #listenToGrip(grip: HTMLElement): void {
    const resizes = grip === this.#size;
    // A click or Enter without a drag holds the grip, for users who cannot keep a button pressed.
    grip.addEventListener('click', () => {
      const { left, top, width, height } = grip.getBoundingClientRect();
      grip.focus();
      if (this.#gesture) this.end(true);
      else this.begin(resizes, left + width / 2, top + height / 2);
    });
    grip.addEventListener('focus', () => (this.#positionAtFocus = this.#position));
    grip.addEventListener('keydown', (event) => {
      const arrow = ARROWS[event.key];
      const isUndo = event.key === 'Escape' && this.#position !== this.#positionAtFocus;
      if (!arrow && !isUndo && event.key !== 'Home') return;
      stopEvent(event);
      if (event.key === 'Home') return this.#togglePosition();
      this.end(true);
      const step = event.shiftKey ? LONG_STEP : STEP;
      if (arrow) this.#dragBy(resizes, boxOf(this.#panel), arrow[0] * step, arrow[1] * step);
      else this.#setPosition(this.#positionAtFocus);
      this.#savePosition();
    });
  }

  #updateLabels(): void {
    const { texts } = this.#panel;
    if (!texts) return;
    this.#move.ariaLabel = texts.movePanel;
    this.#size.ariaLabel = texts.sizePanel;
    this.#move.title = this.#size.title = texts.gripHint;
  }

  /** Keeps the panel in the window. The listeners are removed, because the window outlives the panel and would keep it in memory. */
  #followWindow(): void {
    const applyPosition = () => this.#applyPosition();
    const sizeObserver = new SizeObserver(applyPosition);
    this.#panel.addController({
      hostUpdated: () => this.#updateLabels(),
      hostConnected: () => {
        addEventListener('resize', applyPosition);
        for (const type of ['resize', 'scroll']) visualViewport?.addEventListener(type, applyPosition);
        sizeObserver.observe(this.#panel);
        sizeObserver.observe(this.#element);
      },
      hostDisconnected() {
        removeEventListener('resize', applyPosition);
        for (const type of ['resize', 'scroll']) visualViewport?.removeEventListener(type, applyPosition);
        sizeObserver.disconnect();
      },
    });
  }
}

function createGrip(kind: 'move' | 'size'): HTMLButtonElement {
  const grip = document.createElement('button');
  Object.assign(grip, { type: 'button', className: `grip ${kind}`, ariaPressed: 'false' });
  grip.setAttribute('part', 'grip');
  return grip;
}

function boxOf(panel: HTMLElement): Box {
  const { left, top, width, height } = panel.getBoundingClientRect();
  return { left, top, width, height };
}

/** Returns the visible part of the window: a keyboard reduces it, zooming in does not. */
function visibleBox(): Box {
  const { width, height, scale, offsetTop } = visualViewport ?? { width: innerWidth, height: innerHeight, scale: 1, offsetTop: 0 };
  return { left: 0, top: scale < 1.01 ? offsetTop : 0, width: width * scale, height: height * scale };
}

function isHeader(path: readonly EventTarget[], panel: ToolChatPanel): boolean {
  let found = false;
  for (const node of path.slice(0, path.indexOf(panel))) {
    if (!(node instanceof Element)) continue;
    if (node.matches(INTERACTIVE)) return false;
    found ||= node.localName === 'header';
  }
  return found;
}

function stopEvent(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Suppresses the click that follows the release of a drag. */
function suppressClick(): void {
  const controller = new AbortController();
  const options = { capture: true, once: true, signal: controller.signal };
  // Clicks by keys and scripts have no pointer (`detail` is 0).
  addEventListener('click', (event) => event.detail > 0 && stopEvent(event), options);
  addEventListener('pointerdown', () => controller.abort(), options);
}

/** Returns false if the pointer no longer exists. */
function capture(panel: HTMLElement, pointer: number): boolean {
  try {
    panel.setPointerCapture(pointer);
    return true;
  } catch {
    return false;
  }
}

/** Returns a saved value; null if there is none or the page has no storage. */
function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`tool-chat.${name}`);
  } catch {
    return null;
  }
}

function writeStored(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`tool-chat.${name}`);
    else localStorage.setItem(`tool-chat.${name}`, value);
  } catch {
    // Without storage, the choice is valid until the page is left.
  }
}
