/** A conversation that only says what it is told to: state for the elements, no network, no chart (S0-01). */
import type { Call, CardStatus, CardView } from '../../src/model/calls.js';
import type { ConversationSurface, MessageView, ReplyListener, ToolChoice, ViewSnapshot } from '../../src/model/snapshot.js';
import type { Attachment, MessagePart } from '../../src/model/messages.js';
import type { CheckReport } from '../../src/model/config-findings.js';
import idleView from '../fixtures/elements/idle-view.json' with { type: 'json' };

export class FakeSurface implements ConversationSurface {
  view: ViewSnapshot;
  /** What was asked of it, in order: `send …`, `stop`, `retry`, `continue`, `undo …`, `dismissError`. */
  readonly asked: string[] = [];
  declare conversations?: NonNullable<ConversationSurface['conversations']>;
  declare files?: NonNullable<ConversationSurface['files']>;
  readonly #listeners = new Set<(view: ViewSnapshot) => void>();
  readonly #followers = new Map<string, Set<ReplyListener>>();

  constructor(view: Partial<ViewSnapshot> = {}) {
    this.view = { ...idle, ...view };
  }

  set(change: Partial<ViewSnapshot>): void {
    this.view = { ...this.view, ...change };
    for (const listener of this.#listeners) listener(this.view);
  }

  setCard(change: CardView): void {
    this.set({ cards: { ...this.view.cards, [change.requestId]: change } });
  }

  subscribe(listener: (view: ViewSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  follow(messageId: string, listener: ReplyListener): () => void {
    const listeners = this.#followers.get(messageId) ?? new Set();
    this.#followers.set(messageId, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Hands a piece of the running reply to whoever follows it. */
  stream(messageId: string, piece: { text?: string; reasoning?: string; call?: string; end?: true }): void {
    for (const listener of this.#followers.get(messageId) ?? []) {
      if (piece.text !== undefined) listener.text(piece.text);
      if (piece.reasoning !== undefined) listener.reasoning(piece.reasoning);
      if (piece.call !== undefined) listener.call(piece.call);
      if (piece.end) listener.end();
    }
  }

  following(messageId: string): number {
    return this.#followers.get(messageId)?.size ?? 0;
  }

  readonly #note = (what: string) => void this.asked.push(what);

  send(text: string, { tool, attachments = [] }: { tool?: string; attachments?: readonly Attachment[] } = {}): void {
    const pictures = attachments.map(({ name }) => ` and ${name}`).join('');
    this.#note(`send ${text}${tool ? ` with ${tool}` : ''}${pictures}`);
  }
  unqueue = (at: number, text: string) => this.#note(`unqueue ${String(at)} ${text}`);
  sendResults = () => this.#note('sendResults');
  choices: ToolChoice[] = [];
  tools = (): Promise<readonly ToolChoice[]> => Promise.resolve(this.choices);
  stop = () => this.#note('stop');
  retry = () => this.#note('retry');
  edit = (messageId: string, text: string) => this.#note(`edit ${messageId} ${text}`);
  continue = () => this.#note('continue');
  readonly messageActions: NonNullable<ConversationSurface['messageActions']> = {
    switchTo: (from, place) => this.#note(`switch ${from} to ${String(place)}`),
    rate: (id, feedback) => this.#note(`rate ${id} ${feedback ? `${feedback.value} ${feedback.reason ?? ''}`.trim() : 'no more'}`),
  };
  readonly memory: ConversationSurface['memory'] = {
    edit: (id, text) => this.#note(`edit ${id}: ${text}`),
    forget: (id) => {
      this.#note(`forget ${id}`);
      return () => this.#note(`put back ${id}`);
    },
    forgetAll: () => Promise.resolve(this.#note('forget everything')),
  };
  revoke = (grantId: string) => this.#note(`revoke ${grantId}`);
  undo = (requestId: string, { back = false } = {}) => this.#note(`undo ${requestId}${back ? ' and what followed' : ''}`);
  dismissError(): void {
    this.#note('dismissError');
    this.set({ failure: null, error: null });
  }
  answerNotice(id: string, how: 'close' | 'act'): void {
    this.#note(`notice ${id} ${how}`);
    this.set({ notices: this.view.notices?.filter((notice) => notice.id !== id) ?? [] });
  }
  takeOffer = () => this.#note('takeOffer');
  /** What a check finds. */
  report: CheckReport = { finding: 'ok', endpoint: '' };
  checkConfiguration(): Promise<CheckReport> {
    this.#note('check');
    return Promise.resolve(this.report);
  }
  giveFeedback = () => this.#note('feedback');
}

const idle = idleView as ViewSnapshot;

export function user(id: string, text: string): MessageView {
  return { message: { id, role: 'user', text, createdAt: 0, status: { type: 'complete' }, metadata: {} }, parts: [{ type: 'text', text }] };
}

type Status = MessageView['message']['status']['type'];

export function assistant(id: string, parts: readonly (string | { call: string })[], status: Status = 'complete'): MessageView {
  const pieces = parts.map((part): MessagePart =>
    typeof part === 'string' ? { type: 'text', text: part } : { type: 'call', requestId: part.call },
  );
  const text = parts.filter((part) => typeof part === 'string').join('');
  return { message: { id, role: 'assistant', text, createdAt: 0, status: { type: status }, metadata: {} }, parts: pieces };
}

export function call(requestId: string, change: Partial<Call> = {}): Call {
  return {
    requestId,
    toolName: 'delete_task',
    label: '删除任务',
    icon: '🗑️',
    risk: 'danger',
    args: { task_id: 'task_7' },
    digest: `digest of ${requestId}`,
    status: 'awaiting_approval',
    reason: 'Needs approval: it could do harm',
    ...change,
  };
}

export function card(requestId: string, status: CardStatus, change: Partial<CardView> = {}): CardView {
  const checked = change.call ?? call(requestId, { status });
  return {
    requestId,
    toolName: checked.toolName,
    status,
    params: checked.args,
    label: checked.label,
    ...(checked.icon && { icon: checked.icon }),
    ...(status !== 'pending' && { call: checked }),
    ...change,
  };
}
