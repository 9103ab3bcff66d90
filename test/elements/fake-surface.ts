/** A conversation that only says what it is told to: state for the elements, no network, no chart (S0-01). */
import type { Call, CardStatus, CardView } from '../../src/model/calls.js';
import type { ConversationSurface, MessageView, ReplyListener, ToolChoice, ViewSnapshot } from '../../src/model/snapshot.js';
import type { Attachment, MessagePart } from '../../src/model/messages.js';
import type { CheckReport } from '../../src/model/config-findings.js';

type BlockPart = Extract<MessagePart, { type: 'plan' | 'clarify' }>;

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
  stream(messageId: string, piece: { text?: string; reasoning?: string; call?: string; block?: BlockPart; end?: true }): void {
    for (const listener of this.#followers.get(messageId) ?? []) {
      if (piece.text !== undefined) listener.text(piece.text);
      if (piece.reasoning !== undefined) listener.reasoning(piece.reasoning);
      if (piece.call !== undefined) listener.call(piece.call);
      if (piece.block) listener.block?.(piece.block);
      if (piece.end) listener.end();
    }
  }

  following(messageId: string): number {
    return this.#followers.get(messageId)?.size ?? 0;
  }

  send(text: string, { tool, attachments = [] }: { tool?: string; attachments?: readonly Attachment[] } = {}): void {
    const pictures = attachments.map(({ name }) => ` and ${name}`).join('');
    this.asked.push(`send ${text}${tool ? ` with ${tool}` : ''}${pictures}`);
  }
  unqueue(at: number, text: string): void {
    this.asked.push(`unqueue ${String(at)} ${text}`);
  }
  sendResults(): void {
    this.asked.push('sendResults');
  }
  choices: ToolChoice[] = [];
  tools(): Promise<readonly ToolChoice[]> {
    return Promise.resolve(this.choices);
  }
  stop(): void {
    this.asked.push('stop');
  }
  retry(): void {
    this.asked.push('retry');
  }
  edit(messageId: string, text: string): void {
    this.asked.push(`edit ${messageId} ${text}`);
  }
  continue(): void {
    this.asked.push('continue');
  }
  readonly messageActions: NonNullable<ConversationSurface['messageActions']> = {
    switchTo: (from, place) => void this.asked.push(`switch ${from} to ${String(place)}`),
    rate: (id, feedback) =>
      void this.asked.push(`rate ${id} ${feedback ? `${feedback.value} ${feedback.reason ?? ''}`.trim() : 'no more'}`),
  };
  readonly memory: ConversationSurface['memory'] = {
    edit: (id, text) => void this.asked.push(`edit ${id}: ${text}`),
    forget: (id) => {
      this.asked.push(`forget ${id}`);
      return () => void this.asked.push(`put back ${id}`);
    },
    forgetAll: () => {
      this.asked.push('forget everything');
      return Promise.resolve();
    },
  };
  revoke(grantId: string): void {
    this.asked.push(`revoke ${grantId}`);
  }

  undo(requestId: string, { back = false } = {}): void {
    this.asked.push(`undo ${requestId}${back ? ' and what followed' : ''}`);
  }

  dismissError(): void {
    this.asked.push('dismissError');
    this.set({ failure: null, error: null });
  }

  answerNotice(id: string, how: 'close' | 'act'): void {
    this.asked.push(`notice ${id} ${how}`);
    this.set({ notices: this.view.notices?.filter((notice) => notice.id !== id) ?? [] });
  }
  takeOffer(): void {
    this.asked.push('takeOffer');
  }
  /** What a check finds. */
  report: CheckReport = { finding: 'ok', endpoint: '' };
  checkConfiguration(): Promise<CheckReport> {
    this.asked.push('check');
    return Promise.resolve(this.report);
  }
  giveFeedback(): void {
    this.asked.push('feedback');
  }
}

const idle: ViewSnapshot = {
  state: 'idle',
  activities: [],
  messages: [],
  isLoading: false,
  error: null,
  currentTool: null,
  toolHistory: [],
  streamingText: '',
  isToolExecuting: false,
  session: { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null },
  grants: [],
  views: [],
  cards: {},
  failure: null,
  retry: null,
  queue: [],
};

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
    reason: 'Asks because it could do harm',
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

/** A call that waits, whose arguments can be changed. */
export function waitingEdit(asked: Call, edit: NonNullable<CardView['edit']>): FakeSurface {
  return new FakeSurface({
    isLoading: true,
    activities: ['awaitingApproval'],
    views: [user('u1', 'Buy it'), assistant('a1', ['Please confirm.', { call: 'c1' }])],
    cards: { c1: card('c1', 'awaiting_approval', { call: asked, edit }) },
  });
}
