/**
 * Renders a long history from its end, and the rest when the user scrolls near it, so that messages out of view create no nodes. Rendered
 * messages stay, for find-in-page and for selections or input in them.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CardView } from '../../model/calls.js';
import type { ConversationSurface, MessageView, ViewSnapshot } from '../../model/snapshot.js';
import { ScrollAnchor } from './scroll-anchor.js';
import { VisibilityObserver } from '../../base/dom-features.js';
import { numbered } from '../../base/objects.js';

/** Number of messages in a group, whose layout the browser can skip while it is off screen. */
export const GROUP = 20;
/**
 * Number of groups in a stack. A stack that was never near the view is a single empty element, so that a long conversation is not a long
 * list of empty groups.
 */
export const STACK = 16;
/** Number of messages at the end that are always rendered. */
const ALWAYS_RENDERED = 6;
/** Distance from the visible area at which messages are rendered, relative to its height. */
const MARGIN = '50% 0px';

type Host = ReactiveControllerHost & {
  readonly renderRoot: HTMLElement | DocumentFragment;
  readonly surface: Pick<ConversationSurface, 'readOn'> | undefined;
};

export class LazyMessages implements ReactiveController {
  readonly #host: Host;
  readonly #renderedGroups = new Set<number>();
  readonly #openStacks = new Set<number>();
  #count = 0;
  /**
   * Number of messages added before the first one. Groups are counted from the original first message; earlier groups have negative
   * numbers.
   */
  #prepended = 0;
  #anchor: ScrollAnchor | undefined;
  #nearObserver: IntersectionObserver | undefined;
  /** The observed groups in list order. */
  #groups: Element[] = [];

  constructor(host: Host) {
    this.#host = host;
    host.addController(this);
  }

  /** Returns the groups to render and the stacks to open. `prepended`: index of the first message of group 0. */
  update({ views, cards, prepended = 0 }: ViewSnapshot): { prepended: number; rendered: ReadonlySet<number>; open: ReadonlySet<number> } {
    const count = Math.ceil(views.length / GROUP);
    if (prepended > this.#prepended) this.#keepScrollPosition();
    // Many messages at once, from storage or a file, are another conversation: start over.
    else if (prepended < this.#prepended || count > this.#count + 1) {
      this.#renderedGroups.clear();
      this.#openStacks.clear();
      this.hostDisconnected();
    }
    this.#prepended = prepended;
    this.#count = count;
    for (const [at, message] of numbered(views))
      if (at >= views.length - ALWAYS_RENDERED || isOpen(message, cards)) this.#renderedGroups.add(this.#groupOf(at));
    // The first stack may not be full, but an empty stack is as high as a full one.
    for (const at of [...this.#renderedGroups, this.#groupOf(0)]) this.#openStacks.add(Math.floor(at / STACK));
    return { prepended, rendered: this.#renderedGroups, open: this.#openStacks };
  }

  /** Keeps the visible messages in place when messages are added before the first one. */
  #keepScrollPosition(): void {
    const scroller = this.#host.renderRoot.querySelector('.messages')!;
    const below = scroller.scrollHeight - scroller.scrollTop;
    void this.#host.updateComplete.then(() => (scroller.scrollTop = scroller.scrollHeight - below));
  }

  #groupOf(index: number): number {
    return Math.floor((index - this.#prepended) / GROUP);
  }

  /** Renders the group that contains the card of this call. */
  async renderCall(view: ViewSnapshot | undefined, requestId: string): Promise<void> {
    const at = view?.views.findIndex(({ parts }) => parts.some((part) => part.type === 'call' && part.requestId === requestId)) ?? -1;
    if (at === -1) return;
    this.#renderedGroups.add(this.#groupOf(at));
    this.#host.requestUpdate();
    await this.#host.updateComplete;
  }

  hostUpdated(): void {
    const scroller = this.#host.renderRoot.querySelector('.messages');
    if (!scroller) return;
    const groups = scroller.getElementsByClassName('group');
    if (this.#nearObserver && groups.length === this.#groups.length && groups.item(groups.length - 1) === this.#groups.at(-1)) return;
    this.#nearObserver ??= new VisibilityObserver((entries) => this.#onIntersection(entries), { root: scroller, rootMargin: MARGIN });
    this.#anchor ??= new ScrollAnchor(scroller);
    const before = new Set(this.#groups);
    this.#groups = [...groups];
    for (const group of this.#groups)
      if (!before.delete(group)) {
        this.#nearObserver.observe(group);
        this.#anchor.observe(group);
      }
    for (const gone of before) {
      this.#nearObserver.unobserve(gone);
      this.#anchor.unobserve(gone);
    }
    // Stacks need no hold on their position: they have the same height with and without empty groups. Observing an element twice has no
    // effect.
    for (const stack of scroller.querySelectorAll('.stack[data-empty]')) this.#nearObserver.observe(stack);
  }

  hostDisconnected(): void {
    this.#nearObserver?.disconnect();
    this.#anchor?.disconnect();
    this.#nearObserver = this.#anchor = undefined;
    this.#groups = [];
  }

  #onIntersection(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      // Lay out the group before it is visible, so that visible content does not jump.
      target.toggleAttribute('data-near', isIntersecting);
      const at = Number((target as HTMLElement).dataset['at']);
      if (isIntersecting && at === 0) this.#host.surface?.readOn?.();
      const rendered = target.className === 'group' ? this.#renderedGroups : this.#openStacks;
      if (!isIntersecting || rendered.has(at)) continue;
      rendered.add(at);
      this.#host.requestUpdate();
    }
  }
}

/** Returns true if the message is being written, or if a call in it runs or waits. */
function isOpen({ message, parts }: MessageView, cards: Readonly<Record<string, CardView>>): boolean {
  return message.status.type === 'running' || parts.some((part) => part.type === 'call' && OPEN.has(cards[part.requestId]?.status ?? ''));
}

const OPEN: ReadonlySet<string> = new Set(['pending', 'queued', 'awaiting_approval', 'executing'] satisfies CardView['status'][]);
