/** Starts, stops and decides turns, for the host's methods and the widget's own elements. */
import { load } from '../../base/load.js';
import type { PublishedResult, ToolUse } from '../../model/calls.js';
import type { ChatMessage, TurnResult } from '../../model/messages.js';
import { cutText } from '../../base/cut-text.js';
import type { SendOptions } from './api.js';
import { endedWithoutResult } from '../chart/call-records.js';
import type { Decision } from '../../model/decision.js';
import { callSteps } from '../chart/lazy-call-steps.js';
import { sendEvent as sayTo, type Chart, type ConversationServices } from '../chart/services.js';
import type { CallTurns } from './call-turns.js';
import type { CurrentReply } from '../reply/current-reply.js';
import { settingsOf } from '../chart/conversation-changes.js';
import { cancelledTurn, type TurnQueue } from './turn-queue.js';
import type { ParsedCall, ConversationEvent, PendingToolChoice } from '../chart/chart-context.js';

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(chart: Chart, services: ConversationServices, queue: TurnQueue, arriving: CurrentReply) {
  const { registry, log, notifyHost: tell, texts, settings, emit } = services;
  const say = (event: ConversationEvent) => sayTo(chart, event);
  /** The code that runs calls of the host; loaded with the first one. */
  let ofCalls: CallTurns | undefined;
  const openOfCalls = async () => {
    const { createCallTurns } = await load(() => import('./call-turns.js'));
    return (ofCalls ??= createCallTurns(chart, services, queue));
  };
  const notLoaded = (error: unknown) => {
    log.error('call.failed', 'What carries out a call could not be loaded', {}, { error });
  };

  /** Sends a message. `accepted` is called before the turn is queued, after all checks. */
  function send(text: string, extra: SendOptions = {}, accepted: () => void = ignore, id?: string): Promise<TurnResult> {
    const attachments = extra.attachments ?? [];
    if (typeof text !== 'string' || (text.trim() === '' && attachments.length === 0))
      return Promise.reject(new TypeError('sendMessage needs a text. Pass a string that is not empty, or attachments.'));
    if (extra.tool !== undefined && !registry.has(extra.tool))
      return Promise.reject(new TypeError(`There is no tool named “${extra.tool}”. Register it first, or leave \`tool\` out.`));
    if (!tell({ type: 'send', text })) return Promise.resolve(cancelledTurn());
    accepted();
    const begin = (turnId: string) => {
      const now = settings();
      const message: ChatMessage = {
        id: `${turnId}-user`,
        role: 'user',
        text,
        createdAt: Date.now(),
        status: { type: 'complete' },
        ...(attachments.length > 0 && { attachments: attachments.map((one) => ({ ...one })) }),
        metadata: extra.tools === false ? { withoutTools: true } : {},
      };
      tell({ type: 'stream-start', message: text });
      log.debug('stream.start', 'Executing', { turnId }, { stage: 'EX' });
      say({
        type: 'user.send',
        turnId,
        message,
        settings: extra.tools === undefined ? now : { ...now, tools: extra.tools ? 'on' : 'off' },
        ...(extra.tool !== undefined && { tool: chosen(extra.tool) }),
      });
      return true;
    };
    return queue.enqueue(text, begin, 'person', id);
  }

  function chosen(asked: string): Omit<PendingToolChoice, 'asked'> {
    const { name = asked, label } = registry.get(asked) ?? {};
    return { tool: name, ...(label !== undefined && { label: cutText(label, 100) }) };
  }

  /** Retries the last turn. `isContinuation`: continues it after a limit, with a new limit; nothing is removed. */
  function retry({ isContinuation = false } = {}, id?: string): Promise<TurnResult> {
    const lastOne = () => chart.getSnapshot().context.messages.findLast((message) => message.role === 'user');
    const meant = lastOne()?.id;
    return queue.enqueue(
      '',
      (turnId) => {
        const last = lastOne();
        // The user has sent another message meanwhile, so the retry would apply to the wrong one.
        if (!last || last.id !== meant) return false;
        tell({ type: 'stream-start', message: last.text });
        say({ type: 'user.retry', turnId, settings: settingsOf(last, settings()), ...(isContinuation && { isContinuation }) });
        return true;
      },
      isContinuation ? 'plan' : 'retry',
      id,
    );
  }

  function stop(reason: 'cancelled' = 'cancelled') {
    const { live } = arriving;
    const reply = live?.finish({ finish: '', proof: 'unproved' });
    const open = live?.openCall;
    live?.end();
    if (open && reply) {
      const { requestId, name: toolName } = open;
      // A call that was still arriving gets a result like any other.
      const result = endedWithoutResult(requestId, toolName, 'cancelled', 'CANCELLED', texts().notExecuted);
      say({
        type: 'call.broken',
        broken: { requestId, toolName, raw: '', problem: 'unclosed', protocol: '' },
        messageId: reply.messageId,
        result,
      });
    }
    say({ type: 'user.stop', reason, ...(reply && { reply }) });
  }

  /** Sends a message of the user. If a turn is only waiting for approval, it is stopped and its waiting calls are not executed. */
  function sendByPerson(text: string, extra: Pick<SendOptions, 'tool' | 'attachments'> = {}) {
    const waits = () => chart.getSnapshot().hasTag('awaitingApproval') && !chart.getSnapshot().hasTag('executing');
    send(text, extra, () => {
      if (waits()) stop();
    }).catch((error: unknown) => {
      log.warn('send.refused', 'Nothing was sent', {}, { error });
    });
  }

  /** Runs a call that the user repeats, as a separate turn after the running one. */
  function runAgain(request: ParsedCall): Promise<TurnResult> {
    return queue.enqueue('', (turnId) => {
      const said = chart.getSnapshot().context.messages.findLast((message) => message.role === 'user');
      tell({ type: 'stream-start', message: said?.text ?? '' });
      say({ type: 'user.runTool', turnId, request, settings: settings() });
      return true;
    });
  }

  function edit(id: string, text: string): Promise<TurnResult> {
    const at = chart.getSnapshot().context.messages.find((message) => message.id === id && message.role === 'user');
    if (!at) return Promise.reject(new TypeError(`There is no message of the user with the id “${id}”.`));
    const { attachments, metadata } = at;
    return send(text, { ...(attachments && { attachments }), ...(metadata.withoutTools && { tools: false }) }, () => {
      stop();
      say({ type: 'user.truncate', messageId: id });
    });
  }

  /** Stops the turn before it shows another version, so that no version has an open call. */
  function switchTo(from: string, place: number): Promise<void> {
    stop();
    say({ type: 'user.switch', from, place });
    return Promise.resolve();
  }

  return {
    ...{ send, retry, stop, switchTo, sendByPerson, runAgain, edit },
    // Before the first call there is nothing to decide.
    decide(decision: Decision) {
      const { requestId, digest, verdict, args = {} } = decision;
      if (verdict === 'edit') emit('edit', { requestId, digest, args });
      else callSteps()?.decided.decide(say, chart.getSnapshot().context, texts(), decision);
    },
    sendResults() {
      callSteps()?.decided.sendResults(say, chart.getSnapshot().context, texts());
    },
    async runTool(tool: ToolUse): Promise<PublishedResult> {
      if (ofCalls) return ofCalls.runTool(tool);
      try {
        await openOfCalls();
      } catch (error) {
        notLoaded(error);
        return endedWithoutResult('', tool?.name ?? '', 'error', 'EXECUTION_FAILED', texts().toolFailed);
      }
      return ofCalls!.runTool(tool);
    },
  };
}

function ignore() {}
