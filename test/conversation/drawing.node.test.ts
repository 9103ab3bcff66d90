/** What is drawn from what was drawn before, is what would be drawn from nothing: in short conversations, and in long ones. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import type { CardView } from '../../src/model/calls.js';
import type { ChatMessage, MessagePart } from '../../src/model/messages.js';
import type { CallRecord, ConversationContext } from '../../src/conversation/chart/chart-context.js';
import { NO_EDIT } from '../../src/conversation/chart/services.js';
import { createLongDrawing } from '../../src/conversation/view/long-drawing.js';
import type { ViewInputs } from '../../src/conversation/view/message-view.js';
import { createShortDrawing } from '../../src/conversation/view/view.js';

type Status = CallRecord['status'];
const STATUSES: Status[] = ['pending', 'awaiting_approval', 'executing', 'success', 'error', 'denied', 'undone'];

describe('a view drawn step by step', () => {
  const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);
  for (const seed of SEEDS) it(`is the one drawn at once (seed ${String(seed)})`, () => expect(differs(seed, 120)).to.equal(undefined));

  it('would be seen to differ: a card that changes without a word to the drawing', () => {
    expect(SEEDS.some((seed) => differs(seed, 120, { tellsOfUndo: false }) !== undefined)).to.equal(true);
  });
});

/** @returns the first step at which both views differ */
function differs(seed: number, steps: number, { tellsOfUndo = true } = {}): number | undefined {
  let state = seed * 7919;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
  const undos = new Map<string, CardView['undo']>();
  let context: ConversationContext = { messages: [], parts: {}, calls: [], turn: null, toolHistory: [], failure: null, retry: null };
  const around: ViewInputs = {
    ...{ texts: en, live: null, version: 0, phase: 'idle', activities: [], grants: [], queue: [], opened: 0, remembered: [] },
    ...{ hasTools: true, offline: false, notices: [], progress: new Map(), edit: () => NO_EDIT },
    face: (label) => ({ label }),
    undo: ({ requestId }) => undos.get(requestId),
  };
  let count = 0;
  const set = (changes: Partial<ConversationContext>) => (context = { ...context, ...changes });
  const add = (message: Partial<ChatMessage>) => {
    const id = `m${String((count += 1))}`;
    const whole = { id, role: 'user', text: id, createdAt: count, status: { type: 'complete' }, metadata: {}, ...message } as ChatMessage;
    set({ messages: [...context.messages, whole] });
    return id;
  };
  const acts: (() => void)[] = [
    () => add({}),
    () => {
      const id = add({ role: 'assistant', status: { type: random(2) ? 'complete' : 'running' } });
      set({ parts: { ...context.parts, [id]: [{ type: 'text', text: id }] } });
    },
    () => {
      const messageId = context.messages.findLast(({ role }) => role === 'assistant')?.id;
      if (messageId === undefined) return;
      const requestId = `c${String((count += 1))}`;
      const call = { args: { count }, label: requestId, digest: requestId, toolName: 'note' } as unknown as CallRecord['call'];
      const record = { requestId, messageId, toolName: 'note', params: { count }, status: 'pending', call } as unknown as CallRecord;
      const part = { type: 'call', requestId, name: 'note' } as unknown as MessagePart;
      set({
        calls: [...context.calls, random(5) ? record : { ...record, standsInFor: context.calls[0]?.requestId ?? 'c0' }],
        parts: { ...context.parts, [messageId]: [...(context.parts[messageId] ?? []), part] },
      });
    },
    () => change((call) => ({ ...call, status: STATUSES[random(STATUSES.length)] as Status })),
    () => change((call) => ({ ...call, word: random(2) ? 'yes' : undefined }) as CallRecord),
    () => {
      const ended = context.calls[random(context.calls.length || 1)];
      if (ended) add({ role: 'tool', metadata: { toolCall: { requestId: ended.requestId, toolName: 'note' } } } as Partial<ChatMessage>);
    },
    () => {
      const at = random(context.messages.length || 1);
      const one = context.messages[at];
      if (one) set({ messages: context.messages.with(at, { ...one, text: `${one.text}!`, status: { type: 'complete' } }) });
    },
    () => {
      const { id } = context.messages[random(context.messages.length || 1)] ?? {};
      if (id !== undefined) set({ parts: { ...context.parts, [id]: [{ type: 'text', text: `other ${String((count += 1))}` }] } });
    },
    () => set({ turn: context.turn ? null : ({ round: [], results: [], settings: {} } as unknown as ConversationContext['turn']) }),
    () => {
      const { requestId } = context.calls[random(context.calls.length || 1)] ?? {};
      if (requestId === undefined) return;
      undos.set(requestId, (['offered', 'running', 'failed', undefined] as const)[random(4)]);
      if (tellsOfUndo) around.version += 1;
    },
    () => {
      if (random(6)) return;
      const at = random(context.messages.length || 1);
      const messages = context.messages.slice(0, at);
      set({ messages, calls: context.calls.filter(({ messageId }) => messages.some(({ id }) => id === messageId)) });
    },
    () => {
      const at = context.messages.length - 2;
      const from = context.messages[at]?.id;
      const tail = { from, place: 2, messages: [], calls: [], parts: {} } as unknown as NonNullable<
        ConversationContext['branches']
      >[number];
      if (from !== undefined && random(8) === 0) set({ branches: [tail] });
    },
    () => void (around.hasTools = random(10) > 0),
  ];
  function change(by: (call: CallRecord) => CallRecord) {
    const at = random(context.calls.length || 1);
    if (context.calls[at]) set({ calls: context.calls.with(at, by(context.calls[at])) });
  }

  const draws = [createShortDrawing(), createLongDrawing()];
  for (let step = 0; step < steps; step += 1) {
    acts[random(acts.length)]?.();
    const [short, long] = draws.map((draw) => shown(draw(context, around)));
    const atOnce = shown(createShortDrawing()(context, around));
    if (long !== atOnce || (tellsOfUndo && short !== atOnce)) return step;
  }
  return undefined;
}

const shown = ({ hidden, ...rest }: ReturnType<ReturnType<typeof createLongDrawing>>): string =>
  JSON.stringify([rest, [...hidden], Object.keys(rest.cards)]);
