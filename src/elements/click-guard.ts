/**
 * Decides when the buttons of an approval may act: the approval is really visible and large enough, it has not moved for half a second
 * since the window got the focus, and all of its parts have been on screen. A page that hides or moves it gets no click.
 */
import { approvalConditions } from './decisions.js';
import { isRendered, rectOf } from './platform-functions.js';
import { hitTest, isUncovered, TRACK_VISIBILITY } from './occlusion.js';
import { VisibilityObserver } from '../base/dom-features.js';

/**
 * `framed`: the page is in a frame of another site. `hidden`: styles of the page hide the approval or facts in it. `away`: it is scrolled
 * out of view or inside a closed fold. `moving`: it has not been still for long enough. `armed`: a click counts.
 */
export type Readiness = 'framed' | 'hidden' | 'away' | 'moving' | 'armed';

/** Time without movement before the buttons act, in milliseconds. */
export const ARM_DELAY = 500;

/** Movement that does not count as a shift, in CSS pixels. */
const MOVE_TOLERANCE = 4;

/** Minimum width and height of a button, in CSS pixels. A smaller button cannot be seen. */
const MIN_SIZE = 24;

/** Time in milliseconds that an approval must be hidden before this is reported: styles may still be loading. */
const HIDDEN_DELAY = 1000;
const HIDDEN_POLL = 250;

export interface GuardedApproval {
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

export class ClickGuard {
  #approval: GuardedApproval;
  #observer: IntersectionObserver | undefined;
  #moveObserver: IntersectionObserver | undefined;
  #frame = 0;
  #poll = 0;
  #inView = false;
  #covered = false;
  /** True if being covered is the only obstacle. */
  #onlyCovered = false;
  #rect: DOMRect | undefined;
  #stillSince = 0;
  #hiddenSince = 0;
  #problem: 'hidden' | 'framed' | null = null;
  #readiness: Readiness = 'moving';
  readonly #scheduleCheck = () => {
    clearTimeout(this.#poll);
    this.#frame ||= requestAnimationFrame(this.#onFrame);
  };

  readonly #onWindowFocus = () => {
    this.restart();
  };

  constructor(approval: GuardedApproval) {
    this.#approval = approval;
  }

  get readiness(): Readiness {
    return this.#readiness;
  }

  /** The reported reason why the approval cannot be asked, after it has lasted for `HIDDEN_DELAY`. */
  get problem(): 'hidden' | 'framed' | null {
    return this.#problem;
  }

  start(): void {
    if (this.#observer) return;
    this.#observer = new VisibilityObserver((entries) => this.#readEntries(entries), { threshold: [0, 0.5, 0.91, 1], ...TRACK_VISIBILITY });
    this.#observer.observe(this.#approval.actions);
    this.#updateListeners('addEventListener');
    this.restart();
  }

  stop(): void {
    this.#observer?.disconnect();
    this.#moveObserver?.disconnect();
    this.#observer = this.#moveObserver = undefined;
    this.#updateListeners('removeEventListener');
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#poll);
    this.#frame = 0;
    this.#report(null);
    this.#setReadiness('moving');
  }

  /** Restarts the delay because the displayed content has changed. */
  restart(): void {
    this.#rect = undefined;
    this.#setReadiness('moving');
    this.#scheduleCheck();
  }

  /** Checks in the next frame whether anything has changed. */
  checkSoon(): void {
    this.#scheduleCheck();
  }

  #readEntries(entries: readonly IntersectionObserverEntry[]): void {
    const entry = entries[entries.length - 1];
    if (!entry) return;
    const { intersectionRatio: shown } = entry;
    // An element that is cut off at an edge is not fully visible to the platform either. It is scrolled out of view, not covered.
    this.#inView = shown > (isUncovered(entry) ? 0.9 : 0.99);
    this.#covered = this.#inView && !isUncovered(entry);
    this.#scheduleCheck();
  }

  /** Checks immediately, for the press and the click themselves. */
  check(): boolean {
    this.#readEntries(this.#observer?.takeRecords() ?? []);
    if (this.#readiness === 'armed') this.#update(performance.now());
    return this.#readiness === 'armed';
  }

  // During the delay, each frame checks once. After that, events request a check: the fence when the card moves, the observer when it comes
  // into view. Changes of styles have no event, so a hidden card is polled.
  readonly #onFrame = (now: number) => {
    this.#frame = 0;
    if (!this.#observer) return;
    this.#update(Math.max(now, performance.now()));
    if (this.#readiness === 'moving') this.#scheduleCheck();
    if (this.#readiness === 'hidden') this.#poll = setTimeout(this.#scheduleCheck, HIDDEN_POLL) as unknown as number;
  };

  #update(now: number): void {
    const obstacle = this.#obstacle();
    this.#hiddenSince = obstacle === 'hidden' ? this.#hiddenSince || now : 0;
    if (obstacle === 'framed') this.#report('framed');
    else if (this.#hiddenSince && now - this.#hiddenSince >= HIDDEN_DELAY && !(this.#onlyCovered && this.#tryLift()))
      this.#report('hidden');
    if (obstacle) {
      this.#rect = undefined;
      return this.#setReadiness(obstacle);
    }
    const rect = rectOf(this.#approval.actions);
    if (!this.#rect || hasMoved(this.#rect, rect)) {
      this.#rect = rect;
      this.#stillSince = now;
    }
    const isStill = now - this.#stillSince >= ARM_DELAY;
    if (isStill && !this.#problem) return this.#setReadiness('armed');
    this.#setReadiness('moving');
    if (!isStill) return;
    // Removing the message about the obstacle may move the buttons, so the delay restarts.
    this.#rect = undefined;
    this.#report(null);
  }

  #obstacle(): Readiness | undefined {
    this.#onlyCovered = false;
    const { card, actions, buttons, facts, framedBy = approvalConditions(card)?.framedBy } = this.#approval;
    if (isFramedByOthers(framedBy)) return 'framed';
    if (!isVisible(actions) || !isOpaque(actions)) return 'hidden';
    for (const fact of facts()) if (!isVisible(fact)) return 'hidden';
    for (const button of buttons) if (!button.hidden && !(isVisible(button) && isLargeEnough(button))) return 'hidden';
    this.#onlyCovered = this.#covered;
    if (this.#covered) return 'hidden';
    return this.#inView && document.visibilityState === 'visible' ? undefined : 'away';
  }

  /**
   * Handles buttons that a click would reach although the browser cannot prove that they are visible, because an effect of the page, or an
   * element that lets clicks through, covers them: the approval moves to the top layer. Under another part of the widget it waits. Returns
   * false if neither is possible.
   */
  #tryLift(): boolean {
    const { card, actions, lift } = this.#approval;
    const hit = hitTest(card, actions);
    return hit === 'widget' || (hit === 'nothing' && lift());
  }

  #setReadiness(readiness: Readiness): void {
    if (readiness === this.#readiness) return;
    this.#readiness = readiness;
    this.#moveObserver?.disconnect();
    this.#moveObserver = readiness === 'armed' && this.#rect ? this.#observeMoves(this.#rect) : undefined;
    this.#approval.changed();
  }

  /** Observes the buttons through a window of their own size: any movement makes them less than fully visible in it. */
  #observeMoves({ top, right, bottom, left }: DOMRect): IntersectionObserver {
    const { clientWidth, clientHeight } = document.documentElement;
    const sides = [top, clientWidth - right, clientHeight - bottom, left].map((side) => `${String(Math.floor(MOVE_TOLERANCE - side))}px`);
    const fence = new VisibilityObserver(this.#scheduleCheck, { root: document, rootMargin: sides.join(' '), threshold: [0.5, 1] });
    fence.observe(this.#approval.actions);
    return fence;
  }

  #report(why: 'hidden' | 'framed' | null): void {
    if (why === this.#problem) return;
    this.#problem = why;
    this.#approval.cannotAsk(why);
    this.#approval.changed();
  }

  #updateListeners(method: 'addEventListener' | 'removeEventListener'): void {
    window[method]('resize', this.#scheduleCheck);
    document[method]('scroll', this.#scheduleCheck, { capture: true, passive: true } as AddEventListenerOptions);
    document[method]('visibilitychange', this.#scheduleCheck);
    // The click that brings the window to the front was aimed at the window, so the delay restarts. Focus events of elements do not bubble
    // to the window.
    window[method]('focus', this.#onWindowFocus);
  }
}

function hasMoved(one: DOMRect, other: DOMRect): boolean {
  return (
    Math.abs(one.left - other.left) > MOVE_TOLERANCE ||
    Math.abs(one.top - other.top) > MOVE_TOLERANCE ||
    Math.abs(one.width - other.width) > MOVE_TOLERANCE ||
    Math.abs(one.height - other.height) > MOVE_TOLERANCE
  );
}

function isVisible(element: HTMLElement): boolean {
  return isRendered(element, { opacityProperty: true, visibilityProperty: true });
}

function isLargeEnough(button: HTMLElement): boolean {
  const { width, height } = rectOf(button);
  return width >= MIN_SIZE && height >= MIN_SIZE;
}

/**
 * Checks the product of all opacities, because `checkVisibility` knows only an opacity of exactly 0. Ancestors of a modal dialog do not
 * affect it.
 */
function isOpaque(element: HTMLElement): boolean {
  let opacity = 1;
  for (let at: Node | null = element; at && opacity >= 0.5; at = parentOf(at)) {
    if (!(at instanceof Element)) continue;
    opacity *= Number(getComputedStyle(at).opacity);
    if (at.localName === 'dialog' && at.matches(':modal')) break;
  }
  return opacity >= 0.5;
}

const parentOf = (at: Node): Node | null => (at instanceof ShadowRoot ? at.host : ((at as Element).assignedSlot ?? at.parentNode));

/** Returns true if the page is in a frame of another origin, unless all origins around it are allowed. */
export function isFramedByOthers(allowed: readonly string[] = []): boolean {
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
