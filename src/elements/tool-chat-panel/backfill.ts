/**
 * A long history is drawn from its end, and the rest of it when the reader comes near: a message that nobody looks at makes no nodes.
 * What has been drawn stays, for find-in-page and for whatever somebody has selected or begun in it.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CardView } from '../../model/calls.js';
import type { MessageView, ViewSnapshot } from '../../model/snapshot.js';
import { HoldPosition } from './hold-position.js';

/** Messages in a group that the browser need not lay out while it is off screen. */
export const GROUP = 20;
/** Groups in a stack. One that nobody has been near is a single empty element: a long conversation is not a long list of empty groups. */
export const STACK = 16;
/** So many messages at the end are always drawn. */
const NEWEST = 6;
/** So near to what is in view, in its own heights, messages are drawn. */
const MARGIN = '50% 0px';

export class Backfill implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment };
  readonly #drawn = new Set<number>();
  readonly #open = new Set<number>();
  #count = 0;
  #hold: HoldPosition | undefined;
  #near: IntersectionObserver | undefined;
  /** Observed groups, as they stand in the list. */
  #groups: Element[] = [];

  constructor(host: ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment }) {
    this.#host = host;
    host.addController(this);
  }

  /** Which groups are drawn now, and which stacks have theirs. */
  of({ views, cards }: ViewSnapshot): { drawn: ReadonlySet<number>; open: ReadonlySet<number> } {
    const count = Math.ceil(views.length / GROUP);
    // What comes back all at once, from the storage or a file, is another conversation: it is looked at anew.
    if (count > this.#count + 1) {
      this.#drawn.clear();
      this.#open.clear();
      this.hostDisconnected();
    }
    this.#count = count;
    for (let at = Math.max(0, Math.floor((views.length - NEWEST) / GROUP)); at < count; at += 1) this.#drawn.add(at);
    for (const [at, message] of views.entries()) if (isOpen(message, cards)) this.#drawn.add(Math.floor(at / GROUP));
    for (const at of this.#drawn) this.#open.add(Math.floor(at / STACK));
    return { drawn: this.#drawn, open: this.#open };
  }

  /** Draws the messages around the card of this call. */
  async drawCall(view: ViewSnapshot | undefined, requestId: string): Promise<void> {
    const at = view?.views.findIndex(({ parts }) => parts.some((part) => part.type === 'call' && part.requestId === requestId)) ?? -1;
    if (at === -1) return;
    this.#drawn.add(Math.floor(at / GROUP));
    this.#host.requestUpdate();
    await this.#host.updateComplete;
  }

  hostUpdated(): void {
    const scroller = this.#host.renderRoot.querySelector('.messages');
    if (!scroller) return;
    const groups = scroller.getElementsByClassName('group');
    if (this.#near && groups.length === this.#groups.length && groups.item(groups.length - 1) === this.#groups.at(-1)) return;
    this.#near ??= new IntersectionObserver((entries) => this.#look(entries), { root: scroller, rootMargin: MARGIN });
    this.#hold ??= new HoldPosition(scroller);
    const before = new Set(this.#groups);
    this.#groups = [...groups];
    for (const group of this.#groups)
      if (!before.delete(group)) {
        this.#near.observe(group);
        this.#hold.observe(group);
      }
    for (const gone of before) {
      this.#near.unobserve(gone);
      this.#hold.unobserve(gone);
    }
    // Their heights need no holding: a stack is as high with its empty groups as without them. To observe one twice does nothing.
    for (const stack of scroller.querySelectorAll('.stack[data-empty]')) this.#near.observe(stack);
  }

  hostDisconnected(): void {
    this.#near?.disconnect();
    this.#hold?.disconnect();
    this.#near = this.#hold = undefined;
    this.#groups = [];
  }

  #look(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      // Laid out while it is still out of sight: what is in view does not jump when it comes.
      target.toggleAttribute('data-near', isIntersecting);
      const at = Number((target as HTMLElement).dataset['at']);
      const shown = target.className === 'group' ? this.#drawn : this.#open;
      if (!isIntersecting || shown.has(at)) continue;
      shown.add(at);
      this.#host.requestUpdate();
    }
  }
}

/** It is written, or something in it runs or waits for somebody. */
function isOpen({ message, parts }: MessageView, cards: Readonly<Record<string, CardView>>): boolean {
  return message.status.type === 'running' || parts.some((part) => part.type === 'call' && OPEN.has(cards[part.requestId]?.status ?? ''));
}

const OPEN: ReadonlySet<string> = new Set(['pending', 'queued', 'awaiting_approval', 'executing'] satisfies CardView['status'][]);
