/** What stands in a page of the shop: tools that pay, and places at which the page can be stopped. Runs in the page, so it uses nothing from outside itself. */

/** Where a tool call is stopped, in the order in which it comes there. Those in `RESTING` and `HELD` are reached without help of the page. */
export type Point =
  | 'held'
  | 'checking'
  | 'awaiting approval'
  | 'queued'
  | 'clearing'
  | 'before its intent is written'
  | 'with its intent written'
  | 'executing, before the effect'
  | 'executing, the effect not answered'
  | 'executing, the effect answered'
  | 'before its end is recorded'
  | 'with its end recorded'
  | 'settled'
  | 'told to the model';

export interface Plan {
  /** Also the session id of the conversation. */
  session: string;
  /** Counts the pages of this session, from 1. */
  nth: number;
  /** Where the page stops. Only the first page of a session does. */
  stop?: Point | undefined;
  /** `kill`: it stands still until the browser is killed. */
  way: 'reload' | 'kill';
  /** On the first page nothing is decided before `decideNow()`; then everything is allowed. */
  undecided?: boolean;
  /** Attributes of `<tool-chat>`. */
  attributes?: Record<string, string>;
  /** Another page of the site: `pay` is another tool there, or is not registered. */
  pays?: 'otherwise' | 'never';
  /** The storage cannot be opened. */
  isBlocked?: boolean;
  /** From the click on, nothing that is written is kept. */
  forgetful?: boolean;
}

/** The element, as far as the pages use it. */
interface Chat extends HTMLElement {
  decide: unknown;
  registerTool(tool: object): unknown;
}

export function setUpShop(plan: Plan): void {
  Object.assign(window, { nthPage: plan.nth });
  const at = (what: string) => `/shop/${what}/${plan.session}`;
  const post = (what: string) => {
    const request = new XMLHttpRequest();
    request.open('POST', at(what), false);
    try {
      request.send();
    } catch {} // the browser gives up on it when the page goes
  };

  /** Exactly here: nothing of the page goes on until the server answers, and it does not before the page is left. */
  const stop = (point: Point) => {
    if (plan.stop !== point) return;
    delete plan.stop;
    post('stopped');
    if (plan.way === 'reload') location.reload();
    post('frozen');
  };

  const { delete: remove } = IDBObjectStore.prototype;
  const { transaction } = IDBDatabase.prototype;
  const { setItem } = Storage.prototype;
  const writes = new WeakMap<IDBTransaction, Point>();
  let forgets = false;
  // Before anybody else hears that it is complete.
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args: Parameters<IDBDatabase['transaction']>) {
    const made = transaction.apply(this, args);
    made.addEventListener('complete', () => {
      const point = writes.get(made);
      if (point) stop(point);
    });
    return made;
  };
  for (const name of ['put', 'add'] as const) {
    const write = IDBObjectStore.prototype[name];
    IDBObjectStore.prototype[name] = function (this: IDBObjectStore, ...args: Parameters<IDBObjectStore['put']>) {
      if (forgets) return this.count() as IDBRequest<IDBValidKey>;
      if (this.name === 'journal') {
        const isEnd = (args[0] as { result?: unknown }).result !== undefined;
        stop(isEnd ? 'before its end is recorded' : 'before its intent is written');
        writes.set(this.transaction, isEnd ? 'with its end recorded' : 'with its intent written');
      }
      return write.apply(this, args);
    };
  }
  // A write that begins anew takes the rows away first: without this, whether one was under way at the reload would decide what is left.
  IDBObjectStore.prototype.delete = function (this: IDBObjectStore, ...args: Parameters<IDBObjectStore['delete']>) {
    return forgets ? (this.count() as IDBRequest) : remove.apply(this, args);
  };
  Storage.prototype.setItem = function (this: Storage, ...args: Parameters<Storage['setItem']>) {
    if (!forgets) setItem.apply(this, args);
  };

  if (plan.isBlocked)
    IDBFactory.prototype.open = () => {
      throw new DOMException('No', 'SecurityError');
    };

  /** What the server is told to do: once, whatever happens. Its answer is what the model hears. */
  const effect = async (tool: string, { amount }: { amount?: number }, { requestId }: { requestId: string }) => {
    stop('executing, before the effect');
    const answer = await fetch(`${at('effect')}?tool=${tool}&amount=${String(amount)}`, {
      method: 'POST',
      headers: { 'idempotency-key': requestId },
    });
    const message = await answer.text();
    stop('executing, the effect answered');
    return { success: true, message };
  };
  const tool = (name: string, more: object) => ({
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: { amount: { type: 'integer' } } },
    execute: (args: object, context: { requestId: string }) => effect(name, args, context),
    ...more,
  });

  const register = (chat: Chat) => {
    if (plan.pays !== 'never')
      chat.registerTool(tool('pay', { risk: 'danger', ...(plan.pays === 'otherwise' && { description: 'Pays twice.' }) }));
    chat.registerTool(tool('look_up', { risk: 'query' }));
    chat.registerTool(tool('put_name', { risk: 'write', idempotent: true }));
    chat.registerTool(
      tool('transfer', {
        risk: 'danger',
        verify: async (_: object, { requestId }: { requestId: string }) => (await fetch(`${at('verify')}?id=${requestId}`)).text(),
      }),
    );
  };

  const global = window as { toolChat?: unknown };
  const waiting = (global.toolChat ??= []) as { push(setUp: (chat: Chat) => void): void };
  waiting.push((chat) => {
    if (plan.undecided) chat.decide = () => new Promise((resolve) => Object.assign(window, { decideNow: () => resolve('allow') }));
    register(chat);
    chat.addEventListener('tool-chat-tool-execute', () => {
      forgets = plan.forgetful === true;
      stop('clearing');
    });
    chat.addEventListener('tool-chat-tool-complete', () => stop('settled'));
  });
}
