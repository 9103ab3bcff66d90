/**
 * Assembles a conversation, without a DOM: in a page, a worker, Node, Deno or Bun. It creates the parts one after the other. Each gets the
 * chart, the services, and the earlier parts that it works with. They notify each other of everything else by events (`services.ts`).
 */
import { watchApprovalFatigue, followProgress, reportToHost, watchTurnEnds } from './host/host-events.js';
import { callSteps } from './chart/lazy-call-steps.js';
import { sendEvent } from './chart/services.js';
import type { Conversation, ConversationOptions } from './host/api.js';
import { attachEditing, attachFeatures } from './host/features.js';
import { keepInternals } from './host/internals.js';
import { createLoadAhead } from './host/load-ahead.js';
import { createPlugins } from './host/plugins.js';
import { createPreviews, registrations } from './host/registrations.js';
import { createRecoveryUi } from './host/recovery-ui.js';
import { createServices } from './host/create-services.js';
import { createChart } from './host/start-chart.js';
import { createTurnQueue } from './host/turn-queue.js';
import { createTurns } from './host/turns.js';
import { createPersistence } from './persistence/persistence.js';
import type { createPersistedSession } from './persistence/persisted-session.js';
import { createSessionIo } from './persistence/session-io.js';
import { createLayeredMemory } from './memory/layered-memory.js';
import { keepRecords } from './memory/session-records.js';
import { createCurrentReply } from './reply/current-reply.js';
import { createConnection } from './reply/connection.js';
import { createDegradedModes } from './reply/degrade.js';
import { keptHabits } from './reply/segment-sink.js';
import { restoreGateState } from './request/prompt-input.js';
import { createBudget } from './request/token-budget.js';
import { createViewModel, createChatController } from './ui-api.js';
import { stateOf } from './view/view.js';
import type { Activity, ConversationSnapshot } from '../model/snapshot.js';

type Methods = Omit<Conversation, keyof ConversationSnapshot>;

/** @param keep creates the persistence; absent on a page without storage */
export function buildConversation(options: ConversationOptions, keep?: typeof createPersistedSession): Conversation {
  const { services, speaker, trace } = createServices(options);
  const { log, settings, notices, emit } = services;
  const previews = createPreviews(services, speaker);
  const keeping = createPersistence(services, options.journal, keep);
  const arriving = createCurrentReply(services);
  const connection = createConnection(services.changed);
  const degrading = createDegradedModes(notices);
  const budget = createBudget();

  const { edition } = previews;
  const reply = { arriving, connection, shared: {}, degrading, budget, edition, handedOn: () => keeping.handedOn };
  const { chart, grants } = createChart(services, speaker, reply, keeping);
  const queue = createTurnQueue(chart, services);
  services.privacy.begin(chart, services, speaker);

  // ——— Listeners of the chart, in the order in which they are notified

  const progress = followProgress(chart, services);
  reportToHost(chart, services, keeping.journal);
  trace.watch(chart);
  const records = keepRecords(chart, services);
  watchTurnEnds(chart, services, queue, arriving);
  const memory = createLayeredMemory(chart, services, speaker, { records, budget });
  const plugins = createPlugins(services);
  const undoing = attachFeatures(chart, services, plugins, keeping.written);

  // ——— Control: send, stop, clear

  const here = createTurns(chart, services, queue, arriving);
  const stop = () => {
    here.stop();
    memory.stop();
  };
  async function clear(all: boolean): Promise<void> {
    if (keeping.pending) await keeping.ready();
    queue.cancel();
    stop();
    sendEvent(chart, { type: 'user.clear' });
    await keeping.clear(all);
  }
  const forget = () => clear(true).finally(() => memory.forgetAll());
  const clearOrForget = (all: boolean) => (all ? forget() : clear(false));
  const turns = keeping.begin(
    chart,
    { queue, arriving, grants, undoing, stop, clear: clearOrForget, forgetSession: memory.forgetSession },
    here,
  );
  /** Stops the turn, also if another tab runs it. */
  const stopEverywhere = () => {
    turns.stop();
    memory.stop();
  };
  function revoke(grantId: string): void {
    if (!keeping.elsewhere({ type: 'revoke', grantId })) grants.now()?.revoke(grantId);
  }
  const edit = attachEditing(chart, services, turns.runAgain);
  watchApprovalFatigue(chart, services, turns.stop);

  // ——— The view

  const desk = createSessionIo(chart, services, { queue, records, trace, budget, arriving, keeping, stop });
  keeping.keep('session', desk.kept);
  keeping.keep('gate', restoreGateState(speaker.gate));
  keeping.keep('habits', keptHabits(settings, speaker.protocols.learned));
  keeping.keep('private', services.privacy.kept);
  const audience = createViewModel(chart, services, {
    ...{ arriving, progress, undoing, edit, grants, queue, keeping, memory, desk, speaker },
    helpUrl: () => options.helpUrl,
  });
  const view = () => audience.view;
  const recovery = createRecoveryUi(chart, services, reply, turns);
  const surface = createChatController(chart, services, {
    ...{ audience, turns, queue, arriving, memory, recovery, undoing, keeping, speaker, revoke, stop: stopEverywhere },
    files: { export: () => desk.exportSession(view), import: desk.importSession, clear: () => clear(false) },
  });
  chart.start();

  const methods: Methods = {
    get trace() {
      return [...trace.entries];
    },
    use: plugins.use,
    exportSession: () => desk.exportSession(view),
    importSession: desk.importSession,
    ...registrations(services, speaker),
    subscribe: audience.listen,
    matchesState: (name) => view().state === name || view().activities.includes(name as Activity),
    sendMessage: (text, extra) => turns.send(text, extra),
    sendMessageWithTools: (text) => turns.send(text, { tools: true }),
    executeToolManually: turns.runTool,
    revoke,
    undo: undoing.undo,
    cancelStream: stopEverywhere,
    retryLastMessage: turns.retry,
    regenerate: turns.retry,
    editMessage: turns.edit,
    generatePrompt: previews.generatePrompt,
    getToolDescriptions: previews.getToolDescriptions,
    ...keeping.desk,
    clear: () => clear(false),
    clearCache: previews.clearCache,
    forget,
    dispose() {
      plugins.takeAllBack();
      void keeping.close();
      queue.close();
      queue.cancel();
      stop();
      audience.close();
      // Not immediately: a listener may call this, and the turn still has to end.
      queueMicrotask(() => chart.stop());
    },
  };
  const state = stateOf(view, () => !queue.isEmpty || keeping.waiting.length > 0);
  const conversation = Object.defineProperties(methods, Object.getOwnPropertyDescriptors(state)) as Conversation;
  keepInternals(
    conversation,
    {
      ...{ surface, log, chart, trace, notices: services.notices, sent: () => services.privacy.sent },
      ahead: createLoadAhead(services, speaker, grants),
      decide: turns.decide,
      // Uses the words of the turn, which are those on the screen.
      confirms: (text) => callSteps()?.confirmation.isConfirmation(text, chart.getSnapshot().context.turn?.settings ?? settings()) === true,
      everyTool: () => services.registry.list().filter(({ name }) => !speaker.unlisted.has(name)),
      attachPerson: () => emit('person'),
      asksAlone: (requestId) => emit('asksAlone', requestId),
      look() {
        keeping.look();
        emit('view'); // the page may have named another user
      },
      leave() {
        keeping.pause();
        queue.cancel();
        stop();
      },
      leavePage: () => void (services.storage === 'none' && stop()),
      cannotAsk(why) {
        sendEvent(chart, { type: 'ask.blocked', failure: why && { kind: why, code: 'CONFIG', layer: 'business', retryable: false } });
      },
    },
    options.pluginHost,
  );
  plugins.begin(options.pluginHost ?? conversation, options.plugins ?? []);
  return conversation;
}
