/**
 * A floating panel is made large, and can be moved and sized: by its header, by two grips, by keys. What a person chose holds for the next
 * visit.
 */
import { addSheet, createSheet } from '../base/style-sheets.js';
import { wholeEnglish } from '../i18n/en.js';
import { cornerOf, fitSize, placeOf, readPlace, sizedBy, writePlace, type Box, type PanelPlace } from './free-place.js';
import { placeBeside } from './stance.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';
import { SizeObserver } from '../base/dom-features.js';

wholeEnglish();

/** In a small window the panel fills it, and on paper it stands where it always does. The first rule of the first is the person's. */
const placeCss = `
@media screen and (min-width:480.02px) and (min-height:480.02px){:host(:state(floating)) tool-chat-panel:not([data-large]){}}
@media (min-width:480.02px) and (min-height:480.02px){
  :host(:state(floating)) tool-chat-panel[data-large]{position:fixed;inset:24px 16px calc(var(--_button) + 32px) auto;translate:none!important;inline-size:min(calc(100vw / var(--_zoom,1) - 32px),max(896px,var(--tool-chat-width,0px)));block-size:auto}
  :host(:state(floating)) tool-chat-panel[data-large][data-from-left]{inset-inline:auto;left:16px}
  :host(:state(floating)) tool-chat-panel[data-large][data-from-top]{inset-block:calc(var(--_button) + 32px) 24px}
}`;

/** They stand half outside, so that they cover nothing which can be pressed. */
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

/** CSS pixels: less is a click. */
const LEAST_WAY = 4;

/** CSS pixels of an arrow key, and with Shift. */
const STEP = 16;
const LONG_STEP = 64;

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** What has a use of its own for a press. */
const OWN_USE = 'button,a,input,textarea,select,label,summary,[contenteditable],[tabindex],[draggable=true]';

interface Gesture {
  readonly sizes: boolean;
  readonly x: number;
  readonly y: number;
  readonly box: Box;
  readonly before: PanelPlace | undefined;
  /** The panel follows without a button being held, until the next press. */
  readonly holds: boolean;
  readonly over: AbortController;
  moved: boolean;
}

/**
 * Returns what makes it large, and small again.
 * @param first what told that somebody may want to move it: a finger is on the header by then
 */
export function letMove(element: HTMLElement, panel: ToolChatPanel, first?: Event): () => void {
  // Style sheets belong to the document of the script, and it may have left that meanwhile.
  if (element.ownerDocument !== document) return () => undefined;
  const [outer, inner] = [createSheet(placeCss), createSheet(css)];
  addSheet(element.shadowRoot as ShadowRoot, outer);
  addSheet(panel.shadowRoot as ShadowRoot, inner);
  const { style } = (outer.cssRules[0] as CSSMediaRule).cssRules[0] as CSSStyleRule;
  const [move, size] = [createGrip('move'), createGrip('size')];
  panel.shadowRoot?.append(move, size);

  let place = readPlace(kept('place'));
  /** What was put back can be had again. */
  let put: PanelPlace | undefined;
  /** When the grip got the focus. */
  let atFocus: PanelPlace | undefined;
  let gesture: Gesture | undefined;
  /** Two drags from one spot are no double click. */
  let dragged = false;

  const canMove = () => getComputedStyle(move).display !== 'none';
  const from = () => ({ left: panel.hasAttribute('data-from-left'), top: panel.hasAttribute('data-from-top') });
  const corner = () => ({ left: !size.hasAttribute('data-right'), top: !size.hasAttribute('data-bottom') });

  /** Within today's window. */
  function show(): void {
    if (!panel.isConnected || !canMove()) return;
    const room = roomNow();
    const fitting = place && fitSize(place, room);
    style.inlineSize = fitting?.width === undefined ? '' : `${String(fitting.width)}px`;
    style.blockSize = fitting?.height === undefined ? '' : `${String(fitting.height)}px`;
    if (!place) style.translate = '';
    // Its button may have come, or gone to the other side, since it was opened.
    if (!gesture) placeBeside(element, panel);
    if (place && panel.offsetWidth > 0) {
      // Where it stands by its rules, whatever it has been moved by and is moving by now.
      const host = element.getBoundingClientRect();
      const { left, top } = cornerOf(place, { left: 0, top: 0, width: panel.offsetWidth, height: panel.offsetHeight }, room, from());
      const x = left - host.left - element.clientLeft - panel.offsetLeft;
      const y = top - host.top - element.clientTop - panel.offsetTop;
      style.setProperty('translate', `${String(x)}px ${String(y)}px`, 'important');
    }
    // The corner towards the wider part of the window is the one that can go somewhere.
    if (gesture || panel.offsetWidth === 0) return;
    const box = panel.getBoundingClientRect();
    size.toggleAttribute('data-right', box.left + box.right < 2 * room.left + room.width);
    size.toggleAttribute('data-bottom', box.top + box.bottom < 2 * room.top + room.height);
  }

  const keepPlace = () => {
    keep('place', place && writePlace(place));
  };

  function set(wanted: PanelPlace | undefined): void {
    place = wanted;
    show();
  }

  /** By so much from where it stood. */
  function go(sizes: boolean, box: Box, dx: number, dy: number): void {
    const room = roomNow();
    const to = sizes ? sizedBy(dx, dy, box, room, corner()) : { ...box, left: box.left + dx, top: box.top + dy };
    const shown = placeOf({ ...to, ...cornerOf(placeOf(to, room, from()), to, room, from()) }, room, from());
    const { width, height } = sizes ? to : (place ?? {});
    set({ ...shown, ...(width !== undefined && height !== undefined && { width, height }) });
  }

  function begin(sizes: boolean, x: number, y: number, pointer?: PointerEvent): void {
    end(true);
    dragged = false;
    if (!canMove()) return;
    const over = new AbortController();
    const options = { capture: true, signal: over.signal };
    gesture = { ...{ sizes, x, y, over }, box: boxOf(panel), before: place, holds: !pointer, moved: false };
    const isOther = (event: PointerEvent) => pointer && event.pointerId !== pointer.pointerId;
    const follow = (event: PointerEvent) => {
      const at = gesture;
      if (!at || isOther(event)) return;
      const [dx, dy] = [event.clientX - at.x, event.clientY - at.y];
      if (!at.moved && Math.hypot(dx, dy) < LEAST_WAY) return;
      if (!at.moved && pointer) capture(panel, pointer.pointerId);
      at.moved = dragged = true;
      go(at.sizes, at.box, dx, dy);
    };
    addEventListener('pointermove', follow, options);
    addEventListener('pointerup', (event) => !gesture?.holds && !isOther(event) && end(true), options);
    addEventListener('pointercancel', (event) => !isOther(event) && end(false), options);
    addEventListener('keydown', takeBack, options);
    if (pointer) return;
    (sizes ? size : move).ariaPressed = 'true';
    // A press puts it down, and is nothing else.
    addEventListener(
      'pointerdown',
      (event) => {
        stop(event);
        if (!event.composedPath().includes(sizes ? size : move)) follow(event);
        if (gesture) gesture.moved = true;
        end(true);
      },
      options,
    );
  }

  function takeBack(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    stop(event);
    end(false);
  }

  function end(keeps: boolean): void {
    if (!gesture) return;
    const { over, moved, before } = gesture;
    gesture = undefined;
    over.abort();
    move.ariaPressed = size.ariaPressed = 'false';
    if (!keeps) place = before;
    else if (moved) keepPlace();
    show();
    if (moved) withoutClick();
  }

  /** To where its page has it, and once more: to where it was. */
  function putBack(): void {
    end(true);
    [place, put] = place ? [undefined, place] : [put, undefined];
    keepPlace();
    show();
  }

  function press(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary) return;
    const path = event.composedPath();
    const onSize = path.includes(size);
    if (onSize || path.includes(move) || isHeader(path, panel)) begin(onSize, event.clientX, event.clientY, event);
  }

  panel.addEventListener('pointerdown', press);
  // The text field keeps the focus, and no text is selected.
  panel.addEventListener('mousedown', (event) => {
    if (gesture && isHeader(event.composedPath(), panel)) event.preventDefault();
  });
  panel.addEventListener('dblclick', (event) => {
    const path = event.composedPath();
    if (!dragged && canMove() && (path.includes(move) || path.includes(size) || isHeader(path, panel))) putBack();
  });
  for (const grip of [move, size]) {
    const sizes = grip === size;
    // Pressed and not dragged, or by Enter, it is held: for whoever cannot keep a button down.
    grip.addEventListener('click', () => {
      const { left, top, width, height } = grip.getBoundingClientRect();
      grip.focus();
      if (gesture) end(true);
      else begin(sizes, left + width / 2, top + height / 2);
    });
    grip.addEventListener('focus', () => (atFocus = place));
    grip.addEventListener('keydown', (event) => {
      const arrow = ARROWS[event.key];
      const isBack = event.key === 'Escape' && place !== atFocus;
      if (!arrow && !isBack && event.key !== 'Home') return;
      stop(event);
      if (event.key === 'Home') return putBack();
      end(true);
      const step = event.shiftKey ? LONG_STEP : STEP;
      if (arrow) go(sizes, boxOf(panel), arrow[0] * step, arrow[1] * step);
      else set(atFocus);
      keepPlace();
    });
  }

  function name(): void {
    const { texts } = panel;
    if (!texts) return;
    move.ariaLabel = texts.movePanel;
    size.ariaLabel = texts.sizePanel;
    move.title = size.title = texts.gripHint;
  }
  name();

  show();
  const watching = new SizeObserver(show);
  // The window outlives the panel, and would keep it.
  panel.addController({
    hostUpdated: name,
    hostConnected() {
      addEventListener('resize', show);
      for (const type of ['resize', 'scroll']) visualViewport?.addEventListener(type, show);
      watching.observe(panel);
      watching.observe(element);
    },
    hostDisconnected() {
      removeEventListener('resize', show);
      for (const type of ['resize', 'scroll']) visualViewport?.removeEventListener(type, show);
      watching.disconnect();
    },
  });

  if (first instanceof PointerEvent && first.pointerType === 'touch' && capture(panel, first.pointerId)) {
    panel.releasePointerCapture(first.pointerId);
    begin(false, first.clientX, first.clientY, first);
  }
  return () => {
    end(true);
    keep('large', panel.toggleAttribute('data-large') ? '1' : undefined);
    panel.requestUpdate();
  };
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

/** What can be seen of the window: a keyboard covers some of it, enlarging does not. */
function roomNow(): Box {
  const { width, height, scale, offsetTop } = visualViewport ?? { width: innerWidth, height: innerHeight, scale: 1, offsetTop: 0 };
  return { left: 0, top: scale < 1.01 ? offsetTop : 0, width: width * scale, height: height * scale };
}

function isHeader(path: readonly EventTarget[], panel: ToolChatPanel): boolean {
  let found = false;
  for (const node of path.slice(0, path.indexOf(panel))) {
    if (!(node instanceof Element)) continue;
    if (node.matches(OWN_USE)) return false;
    found ||= node.localName === 'header';
  }
  return found;
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** The click that comes of letting go is none. */
function withoutClick(): void {
  const over = new AbortController();
  const options = { capture: true, once: true, signal: over.signal };
  // Keys and scripts click without a pointer.
  addEventListener('click', (event) => event.detail > 0 && stop(event), options);
  addEventListener('pointerdown', () => over.abort(), options);
}

/** False of a pointer that is gone by now. */
function capture(panel: HTMLElement, pointer: number): boolean {
  try {
    panel.setPointerCapture(pointer);
    return true;
  } catch {
    return false;
  }
}

/** A page may have no storage. */
function kept(name: string): string | null {
  try {
    return localStorage.getItem(`tool-chat.${name}`);
  } catch {
    return null;
  }
}

function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`tool-chat.${name}`);
    else localStorage.setItem(`tool-chat.${name}`, value);
  } catch {
    // It holds until the page is left.
  }
}
