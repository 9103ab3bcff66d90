/**
 * Decides when the buttons of an approval may act: the approval is really visible and large enough, it has not moved for half a second
 * since the window got the focus, and all of its parts have been on screen. A page that hides or moves it gets no click.
 */
import { askConditions } from './decisions.js';
import { isRendered, rectOf } from './platform-functions.js';
import { hitOver, isUncovered, SEES_COVERS } from './occlusion.js';
import { VisibilityObserver } from '../base/dom-features.js';

/**
 * `framed`: the page is in a frame of another site. `hidden`: styles of the page hide the approval or facts in it. `away`: it is scrolled
 * out of view or inside a closed fold. `moving`: it has not been still for long enough. `armed`: a click counts.
 */
export type Readiness = 'framed' | 'hidden' | 'away' | 'moving' | 'armed';

/** Time without movement before the buttons act, in milliseconds. */
export const ARM_DELAY = 500;

/** Movement that does not count as a shift, in CSS pixels. */
const STILL = 4;

/** Minimum width and height of a button, in CSS pixels. A smaller button cannot be seen. */
const LEAST_SIZE = 24;

/** Time in milliseconds that an approval must be hidden before this is reported: styles may still be loading. */
const HIDDEN_DELAY = 1000;
const HIDDEN_POLL = 250;

export interface Watched {
  /** The card with the whole approval. */
  card: HTMLElement;
  /** The row of buttons. All of it must be on screen. */
  actions: HTMLElement;
  /** The buttons in the row. Each rendered button must have the minimum size. */
  buttons: readonly HTMLElement[];
  /** The elements that must be rendered, because the user needs them to decide. */
  facts: () => Iterable<HTMLElement>;
  changed: () => void;
  cannotAsk: (why: 'hidden' | 'framed' | null) => void;
  /**
   * Asks to move the approval to the top layer, where nothing of the page can cover it. Returns false if it is already there or cannot be
   * moved.
   */
  lift: () => boolean;
  /** Origins that may frame the page, for an approval outside of a panel. Default: the origins of the panel around the card. */
  framedBy?: readonly string[];
}

export class Arming {
  #watched: Watched;
  #observer: IntersectionObserver | undefined;
  #fence: IntersectionObserver | undefined;
  #frame = 0;
  #poll = 0;
  #inView = false;
  #covered = false;
  /** True if being covered is the only obstacle. */
  #onlyCovered = false;
  #rect: DOMRect | undefined;
  #since = 0;
  #hiddenSince = 0;
  #told: 'hidden' | 'framed' | null = null;
  #readiness: Readiness = 'moving';
  readonly #look = () => {
    clearTimeout(this.#poll);
    this.#frame ||= requestAnimationFrame(this.#tick);
  };

  readonly #refocused = () => {
    this.again();
  };

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  get readiness(): Readiness {
    return this.#readiness;
  }

  /** The reported reason why the approval cannot be asked, after it has lasted for `HIDDEN_DELAY`. */
  get told(): 'hidden' | 'framed' | null {
    return this.#told;
  }

  start(): void {
    if (this.#observer) return;
    this.#observer = new VisibilityObserver((entries) => this.#see(entries), { threshold: [0, 0.5, 0.91, 1], ...SEES_COVERS });
    this.#observer.observe(this.#watched.actions);
    this.#listen('addEventListener');
    this.again();
  }

  stop(): void {
    this.#observer?.disconnect();
    this.#fence?.disconnect();
    this.#observer = this.#fence = undefined;
    this.#listen('removeEventListener');
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#poll);
    this.#frame = 0;
    this.#tell(null);
    this.#set('moving');
  }

  /** Restarts the delay because the displayed content has changed. */
  again(): void {
    this.#rect = undefined;
    this.#set('moving');
    this.#look();
  }

  /** Checks in the next frame whether anything has changed. */
  look(): void {
    this.#look();
  }

  #see(entries: readonly IntersectionObserverEntry[]): void {
    const entry = entries[entries.length - 1];
    if (!entry) return;
    const { intersectionRatio: shown } = entry;
    // An element that is cut off at an edge is not fully visible to the platform either. It is scrolled out of view, not covered.
    this.#inView = shown > (isUncovered(entry) ? 0.9 : 0.99);
    this.#covered = this.#inView && !isUncovered(entry);
    this.#look();
  }

  /** Checks immediately, for the press and the click themselves. */
  check(): boolean {
    this.#see(this.#observer?.takeRecords() ?? []);
    if (this.#readiness === 'armed') this.#judge(performance.now());
    return this.#readiness === 'armed';
  }

  // During the delay, each frame checks once. After that, events request a check: the fence when the card moves, the observer when it comes
  // into view. Changes of styles have no event, so a hidden card is polled.
  readonly #tick = (now: number) => {
    this.#frame = 0;
    if (!this.#observer) return;
    this.#judge(Math.max(now, performance.now()));
    if (this.#readiness === 'moving') this.#look();
    if (this.#readiness === 'hidden') this.#poll = setTimeout(this.#look, HIDDEN_POLL) as unknown as number;
  };

  #judge(now: number): void {
    const obstacle = this.#obstacle();
    this.#hiddenSince = obstacle === 'hidden' ? this.#hiddenSince || now : 0;
    if (obstacle === 'framed') this.#tell('framed');
    else if (this.#hiddenSince && now - this.#hiddenSince >= HIDDEN_DELAY && !(this.#onlyCovered && this.#lifts())) this.#tell('hidden');
    if (obstacle) {
      this.#rect = undefined;
      return this.#set(obstacle);
    }
    const rect = rectOf(this.#watched.actions);
    if (!this.#rect || shifted(this.#rect, rect)) {
      this.#rect = rect;
      this.#since = now;
    }
    const stood = now - this.#since >= ARM_DELAY;
    if (stood && !this.#told) return this.#set('armed');
    this.#set('moving');
    if (!stood) return;
    // Removing the message about the obstacle may move the buttons, so the delay restarts.
    this.#rect = undefined;
    this.#tell(null);
  }

  #obstacle(): Readiness | undefined {
    this.#onlyCovered = false;
    const { card, actions, buttons, facts, framedBy = askConditions(card)?.framedBy } = this.#watched;
    if (framedByStranger(framedBy)) return 'framed';
    if (!seen(actions) || !opaque(actions)) return 'hidden';
    for (const fact of facts()) if (!seen(fact)) return 'hidden';
    for (const button of buttons) if (!button.hidden && !(seen(button) && bigEnough(button))) return 'hidden';
    this.#onlyCovered = this.#covered;
    if (this.#covered) return 'hidden';
    return this.#inView && document.visibilityState === 'visible' ? undefined : 'away';
  }

  /**
   * Handles buttons that a click would reach although the browser cannot prove that they are visible, because an effect of the page, or an
   * element that lets clicks through, covers them: the approval moves to the top layer. Under another part of the widget it waits. Returns
   * false if neither is possible.
   */
  #lifts(): boolean {
    const { card, actions, lift } = this.#watched;
    const hit = hitOver(card, actions);
    return hit === 'widget' || (hit === 'nothing' && lift());
  }

  #set(readiness: Readiness): void {
    if (readiness === this.#readiness) return;
    this.#readiness = readiness;
    this.#fence?.disconnect();
    this.#fence = readiness === 'armed' && this.#rect ? this.#fenceIn(this.#rect) : undefined;
    this.#watched.changed();
  }

  /** Observes the buttons through a window of their own size: any movement makes them less than fully visible in it. */
  #fenceIn({ top, right, bottom, left }: DOMRect): IntersectionObserver {
    const { clientWidth, clientHeight } = document.documentElement;
    const sides = [top, clientWidth - right, clientHeight - bottom, left].map((side) => `${String(Math.floor(STILL - side))}px`);
    const fence = new VisibilityObserver(this.#look, { root: document, rootMargin: sides.join(' '), threshold: [0.5, 1] });
    fence.observe(this.#watched.actions);
    return fence;
  }

  #tell(why: 'hidden' | 'framed' | null): void {
    if (why === this.#told) return;
    this.#told = why;
    this.#watched.cannotAsk(why);
    this.#watched.changed();
  }

  #listen(how: 'addEventListener' | 'removeEventListener'): void {
    window[how]('resize', this.#look);
    document[how]('scroll', this.#look, { capture: true, passive: true } as AddEventListenerOptions);
    document[how]('visibilitychange', this.#look);
    // The click that brings the window to the front was aimed at the window, so the delay restarts. Focus events of elements do not bubble
    // to the window.
    window[how]('focus', this.#refocused);
  }
}

function shifted(one: DOMRect, other: DOMRect): boolean {
  return (
    Math.abs(one.left - other.left) > STILL ||
    Math.abs(one.top - other.top) > STILL ||
    Math.abs(one.width - other.width) > STILL ||
    Math.abs(one.height - other.height) > STILL
  );
}

function seen(element: HTMLElement): boolean {
  return isRendered(element, { opacityProperty: true, visibilityProperty: true });
}

function bigEnough(button: HTMLElement): boolean {
  const { width, height } = rectOf(button);
  return width >= LEAST_SIZE && height >= LEAST_SIZE;
}

/**
 * Checks the product of all opacities, because `checkVisibility` knows only an opacity of exactly 0. Ancestors of a modal dialog do not
 * affect it.
 */
function opaque(element: HTMLElement): boolean {
  let opacity = 1;
  for (let at: Node | null = element; at && opacity >= 0.5; at = around(at)) {
    if (!(at instanceof Element)) continue;
    opacity *= Number(getComputedStyle(at).opacity);
    if (at.localName === 'dialog' && at.matches(':modal')) break;
  }
  return opacity >= 0.5;
}

const around = (at: Node): Node | null => (at instanceof ShadowRoot ? at.host : ((at as Element).assignedSlot ?? at.parentNode));

/** Returns true if the page is in a frame of another origin, unless all origins around it are allowed. */
export function framedByStranger(allowed: readonly string[] = []): boolean {
  const origins = location.ancestorOrigins as DOMStringList | undefined;
  for (let frame: Window = window, level = 0; frame !== frame.parent; frame = frame.parent, level += 1) {
    let origin = origins?.item(level) ?? undefined;
    try {
      origin ??= frame.parent.location.origin;
    } catch {
      // Firefox has no `ancestorOrigins`; the referrer of a framed document names its parent.
      if (level === 0 && document.referrer) origin = new URL(document.referrer).origin;
    }
    // Opaque origins all read "null" and are never the same origin.
    const same = origin === location.origin && origin !== 'null';
    if (!same && (origin === undefined || !allowed.includes(origin))) return true;
  }
  return false;
}
