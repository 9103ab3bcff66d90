/**
 * When the buttons of a question may act: it is really visible and large enough, it has stood still for half a second since the window has
 * the focus, and everything in it has been on screen. A page that hides or moves it gets no click.
 */
import { askConditions } from './decisions.js';
import { isRendered, rectOf } from './platform-functions.js';
import { hitOver, isUncovered, SEES_COVERS } from './covers.js';
import { VisibilityObserver } from '../base/dom-features.js';

/**
 * `framed`: another site's frame. `hidden`: the page's styles take it, or facts in it, out of sight. `away`: scrolled off or covered by a
 * closed fold. `moving`: not still for long enough. `armed`: a click counts.
 */
export type Readiness = 'framed' | 'hidden' | 'away' | 'moving' | 'armed';

/** Milliseconds of standing still. */
export const ARM_DELAY = 500;

/** CSS pixels that do not count as a shift. */
const STILL = 4;

/** CSS pixels each way: a smaller button is not one that a person has seen. */
const LEAST_SIZE = 24;

/** So long it has to be hidden before anyone is told: styles may still be loading. */
const HIDDEN_DELAY = 1000;
const HIDDEN_POLL = 250;

export interface Watched {
  /** The whole question. */
  card: HTMLElement;
  /** The row of buttons: all of it has to be on screen. */
  actions: HTMLElement;
  /** The buttons in it: each that is drawn has to have a size. */
  buttons: readonly HTMLElement[];
  /** What must be rendered for the question to be fair. */
  facts: () => Iterable<HTMLElement>;
  changed: () => void;
  cannotAsk: (why: 'hidden' | 'framed' | null) => void;
  /** Asks for the question where nothing of the page can lie over it. False if it is there already, or nobody can move it. */
  lift: () => boolean;
  /** Origins that may frame the page, for a question outside of a panel. Default: those of the panel around the card. */
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
  /** Nothing else is the matter with it. */
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

  /** Why it cannot be asked, once that has lasted. */
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

  /** Begins the delay anew: what is shown has changed. */
  again(): void {
    this.#rect = undefined;
    this.#set('moving');
    this.#look();
  }

  /** Looks in the next frame whether anything has changed. */
  look(): void {
    this.#look();
  }

  #see(entries: readonly IntersectionObserverEntry[]): void {
    const entry = entries[entries.length - 1];
    if (!entry) return;
    const { intersectionRatio: shown } = entry;
    // What is cut off at an edge is not seen as a whole by the platform either: it is scrolled away, and nobody has covered it.
    this.#inView = shown > (isUncovered(entry) ? 0.9 : 0.99);
    this.#covered = this.#inView && !isUncovered(entry);
    this.#look();
  }

  /** Looks at this very moment; for the press and the click themselves. */
  check(): boolean {
    this.#see(this.#observer?.takeRecords() ?? []);
    if (this.#readiness === 'armed') this.#judge(performance.now());
    return this.#readiness === 'armed';
  }

  // While the delay runs, each frame looks once. After that what can change the answer asks for a look: the fence when the card moves, the
  // observer when it comes into view. Only styles tell nobody.
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
    // What says why it could not be asked takes room: without it the buttons may stand elsewhere, so they stand still anew.
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
   * A click would reach the buttons, yet the browser cannot prove that they are visible: the page has an effect, or something that lets clicks
   * through, over all of it. The question has to move. Under a part of the widget itself it waits.
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

  /** Whatever moves the buttons out of where they stood makes them less than fully visible through this window. */
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
    // The click that brings the window to the front was aimed at the window. On the window: it hears nothing of its elements' own.
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

/** `checkVisibility` knows only an opacity of exactly 0. That of what is around a modal dialog does not reach it. */
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

/** True in a frame of another origin, unless all around it are allowed. */
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
    // All opaque origins read "null", and none is the same as another.
    const same = origin === location.origin && origin !== 'null';
    if (!same && (origin === undefined || !allowed.includes(origin))) return true;
  }
  return false;
}
