/**
 * Renders a long history from its end, and the rest when the user scrolls near it, so that messages out of view create no nodes. Rendered
 * messages stay, for find-in-page and for selections or input in them.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CardView } from '../../model/calls.js';
import type { ConversationSurface, MessageView, ViewSnapshot } from '../../model/snapshot.js';
import { VisibilityObserver, SizeObserver } from '../../base/dom-features.js';
import { numbered } from '../../base/objects.js';
import type { ToolChatMessage } from '../tool-chat-message/tool-chat-message.js';

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

/**
 * Keeps the visible messages in place while groups above them change their height. Browsers cannot be relied on for this: WebKit has no
 * scroll anchoring, and Chromium's does not always work.
 */
class ScrollAnchor {
  readonly #scroller: Element;
  readonly #heights = new WeakMap<Element, { height: number; isEmpty: boolean }>();
  readonly #resize = new SizeObserver((entries) => this.#correct(entries));

  constructor(scroller: Element) {
    this.#scroller = scroller;
  }

  observe(group: Element): void {
    this.#resize.observe(group);
  }

  unobserve(group: Element): void {
    this.#resize.unobserve(group);
  }

  disconnect(): void {
    this.#resize.disconnect();
  }

  /** Corrects the scroll position. The layout is up to date here, so reading it is cheap. */
  #correct(entries: readonly ResizeObserverEntry[]): void {
    const scroller = this.#scroller;
    // A hidden panel has no heights. The old ones are valid again when it is shown.
    if (scroller.clientHeight === 0) return;
    const { top, bottom } = scroller.getBoundingClientRect();
    let grown = 0;
    for (const { target, borderBoxSize } of entries) {
      const height = borderBoxSize[0]?.blockSize ?? 0;
      const before = this.#heights.get(target);
      this.#heights.set(target, { height, isEmpty: target.hasAttribute('data-empty') });
      if (!before) continue;
      // The group's end before this frame. Entries are in list order, so growth above it is already counted.
      const end = target.getBoundingClientRect().top - grown + before.height;
      // The user has seen nothing of an empty group, so the content below it is kept in place.
      if (end <= (before.isEmpty ? bottom : top)) grown += height - before.height;
    }
    if (grown === 0 || scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 2) return;
    scroller.scrollTop += grown;
  }
}

/** Finds the card of a call among the messages, scrolls to it and focuses it. */
export async function revealCard(messages: Iterable<ToolChatMessage>, requestId: string): Promise<void> {
  for (const message of messages) {
    await message.updateComplete;
    for (const call of message.shadowRoot?.querySelectorAll('tool-chat-call') ?? []) {
      if (call.requestId !== requestId) continue;
      await call.updateComplete;
      const card = call.shadowRoot?.querySelector<HTMLElement>('[part=tool-card]');
      card?.scrollIntoView({ block: 'nearest' });
      card?.focus({ preventScroll: true });
      return;
    }
  }
}

/** Subscribes to the conversation of a panel, and tracks which of its messages existed before. */
export class ViewSubscription {
  readonly #show: (view: ViewSnapshot) => void;
  #unsubscribe: (() => void) | undefined;
  #shownCount = 0;
  /** Number of messages that existed when the panel was created. They appear without animation. */
  old = 0;

  constructor(show: (view: ViewSnapshot) => void) {
    this.#show = show;
  }

  subscribe(surface: ConversationSurface): void {
    this.stop();
    this.old = this.#shownCount = surface.view.views.length;
    this.#onView(surface.view);
    this.#unsubscribe = surface.subscribe((view) => this.#onView(view));
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #onView(view: ViewSnapshot): void {
    const { length } = view.views;
    // Messages restored at once, from storage or a file, also appear without animation.
    if (length > this.#shownCount + GROUP) this.old = length;
    this.#shownCount = length;
    this.#show(view);
  }
}
