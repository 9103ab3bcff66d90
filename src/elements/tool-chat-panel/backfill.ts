/**
 * A long history is drawn from its end, and the rest of it when the reader comes near: a message that nobody looks at makes no nodes.
 * What has been drawn stays, for find-in-page and for whatever somebody has selected or begun in it.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CardView } from '../../model/calls.js';
import type { ConversationSurface, MessageView, ViewSnapshot } from '../../model/snapshot.js';
import { HoldPosition } from './hold-position.js';
import { VisibilityObserver } from '../../base/dom-features.js';
import { numbered } from '../../base/objects.js';

/** Messages in a group that the browser need not lay out while it is off screen. */
export const GROUP = 20;
/** Groups in a stack. One that nobody has been near is a single empty element: a long conversation is not a long list of empty groups. */
export const STACK = 16;
/** So many messages at the end are always drawn. */
const NEWEST = 6;
/** So near to what is in view, in its own heights, messages are drawn. */
const MARGIN = '50% 0px';

type Host = ReactiveControllerHost & {
  readonly renderRoot: HTMLElement | DocumentFragment;
  readonly surface: Pick<ConversationSurface, 'readOn'> | undefined;
};

export class Backfill implements ReactiveController {
  readonly #host: Host;
  readonly #drawn = new Set<number>();
  readonly #open = new Set<number>();
  #count = 0;
  /** Groups are counted from the first message that was there; what was added before it has numbers below 0. */
  #prepended = 0;
  #hold: HoldPosition | undefined;
  #near: IntersectionObserver | undefined;
  /** Observed groups, as they stand in the list. */
  #groups: Element[] = [];

  constructor(host: Host) {
    this.#host = host;
    host.addController(this);
  }

  /** Which groups are drawn now, and which stacks have theirs; `prepended`: the place of the first message of group 0. */
  of({ views, cards, prepended = 0 }: ViewSnapshot): { prepended: number; drawn: ReadonlySet<number>; open: ReadonlySet<number> } {
    const count = Math.ceil(views.length / GROUP);
    if (prepended > this.#prepended) this.#keepPlace();
    // What comes back all at once, from the storage or a file, is another conversation: it is looked at anew.
    else if (prepended < this.#prepended || count > this.#count + 1) {
      this.#drawn.clear();
      this.#open.clear();
      this.hostDisconnected();
    }
    this.#prepended = prepended;
    this.#count = count;
    for (const [at, message] of numbered(views))
      if (at >= views.length - NEWEST || isOpen(message, cards)) this.#drawn.add(this.#groupOf(at));
    // The first stack is not always full, and an empty one is as high as a full one.
    for (const at of [...this.#drawn, this.#groupOf(0)]) this.#open.add(Math.floor(at / STACK));
    return { prepended, drawn: this.#drawn, open: this.#open };
  }

  /** Something comes before the first message. */
  #keepPlace(): void {
    const scroller = this.#host.renderRoot.querySelector('.messages')!;
    const below = scroller.scrollHeight - scroller.scrollTop;
    void this.#host.updateComplete.then(() => (scroller.scrollTop = scroller.scrollHeight - below));
  }

  #groupOf(place: number): number {
    return Math.floor((place - this.#prepended) / GROUP);
  }

  /** Draws the messages around the card of this call. */
  async drawCall(view: ViewSnapshot | undefined, requestId: string): Promise<void> {
    const at = view?.views.findIndex(({ parts }) => parts.some((part) => part.type === 'call' && part.requestId === requestId)) ?? -1;
    if (at === -1) return;
    this.#drawn.add(this.#groupOf(at));
    this.#host.requestUpdate();
    await this.#host.updateComplete;
  }

  hostUpdated(): void {
    const scroller = this.#host.renderRoot.querySelector('.messages');
    if (!scroller) return;
    const groups = scroller.getElementsByClassName('group');
    if (this.#near && groups.length === this.#groups.length && groups.item(groups.length - 1) === this.#groups.at(-1)) return;
    this.#near ??= new VisibilityObserver((entries) => this.#look(entries), { root: scroller, rootMargin: MARGIN });
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
      if (isIntersecting && at === 0) this.#host.surface?.readOn?.();
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
