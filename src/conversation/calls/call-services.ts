/** Holds the parts that check and execution of calls share: journal, permissions, dry runs, and what is known about calls and tools. */
import { load } from '../../base/load.js';
import type { Log } from '../../base/logging.js';
import type { Call, PublishedResult } from '../../model/calls.js';
import { labelWithHost } from '../../model/label-with-host.js';
import type { Journal } from '../../storage/journal.js';
import type { Grants, NewGrant } from '../../tools/grant-rules.js';
import { grantSentence } from '../../tools/suggest-grants.js';
import { hostOf } from '../../tools/tool-source.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { callOf } from '../chart/call-records.js';
import type { Turn } from '../chart/chart-context.js';
import type { BusEvents, Chart, ConversationServices } from '../chart/services.js';
import { permissionsOf, userOf } from '../options/read-settings.js';
import type { DryRun } from './dry-run.js';
import { canRerun } from './strategies.js';

/** The journal that records calls. */
export interface CallRecords {
  readonly journal: Journal;
  /** True if permissions can outlive the page. */
  readonly lasting: boolean;
}

export type CallServices = ReturnType<typeof createCallServices>;

export function createCallServices(chart: Chart, services: ConversationServices, { journal, lasting }: CallRecords) {
  const { registry, log, emit } = services;
  const context = () => chart.getSnapshot().context;
  return {
    lasting,
    context,
    /** Functions that look again at a waiting call, by request id. */
    waiting: new Map<string, () => void>(),
    dryRunOf: createLazyDryRun(chart, log),
    entries: journalEntries(journal, log),
    grants: createPermissions(services),
    onProgress: (requestId: string, said: BusEvents['progress']['said']) => emit('progress', { requestId, said }),
    recordOf: (requestId: string) => callOf(context(), requestId),
    labelOf(name: string) {
      const tool = registry.get(name);
      return tool ? registry.labelOf(tool) : name;
    },
    usable() {
      const { context: host = {}, toolToggles, defaultToolEnabled } = context().turn?.settings ?? {};
      return registry.list({ permissions: permissionsOf(host), toolToggles, defaultToolEnabled });
    },
    isDisabled: (name: string) => context().turn?.disabled?.includes(name) === true,
  };
}

/** The returned function gives undefined for turns without dry runs: they are turned off, or the host runs the tool itself. */
function createLazyDryRun(chart: Chart, log: Log): (turn: Turn) => Promise<DryRun> | undefined {
  let made: DryRun | undefined;
  return ({ settings, manual }) =>
    settings.rehearse === 'off' || manual
      ? undefined
      : load(() => import('./dry-run.js')).then(({ createDryRun }) => (made ??= createDryRun(chart, log)));
}

/** Records in the journal that a call begins, before it has an effect, and how it ended. */
const journalEntries = (journal: Journal, log: Log) => ({
  /** Records that a call begins. `known`: it has begun before. `unrecorded`: it must not begin. */
  async begin(
    { requestId, toolName, digest, args }: Call,
    tool: ToolDefinition,
    again: number | undefined,
  ): Promise<'start' | 'known' | 'unrecorded'> {
    try {
      return await journal.intent({
        ...{ requestId, toolName, digest, rerun: canRerun(tool) },
        ...(!tool.sensitive && { args }),
        ...(again !== undefined && { again }),
      });
    } catch (error) {
      // A query does no harm if it runs twice. Any other call needs its record first, because without one its effect would be unknown
      // later.
      if (tool.risk !== 'query') {
        log.error('journal.failed', 'A call could not be recorded and was not executed', { toolName, requestId }, { error });
        return 'unrecorded';
      }
      log.warn('journal.failed', 'A query runs without a record', { toolName, requestId }, { error });
      return 'start';
    }
  },

  async end({ requestId, toolName }: Pick<Call, 'requestId' | 'toolName'>, result: PublishedResult): Promise<void> {
    try {
      await journal.settle(requestId, result);
    } catch (error) {
      log.error('journal.failed', 'The end of a call could not be recorded', { toolName, requestId }, { error });
    }
  },
});

interface Permissions {
  now(): Grants | undefined;
  open(): Promise<Grants>;
  /** Adds a grant. If it cannot be kept, the current call still runs, and the next one asks. */
  add(grant: NewGrant): Promise<void>;
}

/** Holds the permissions that the user grants beyond one call. Their rules are loaded with the first grant. */
function createPermissions({ registry, log, texts, emit, settings }: ConversationServices): Permissions {
  let grants: Grants | undefined;
  let owner = '';
  /** True if a permission was given on this page. Saved ones count although the page names its user later. */
  let isGiven = false;
  /** A permission counts only for the user who gave it. */
  const now = () => {
    const user = userOf(settings());
    if ((owner || isGiven) && owner !== user) {
      grants?.load([]);
      isGiven = false;
    }
    owner = user;
    return grants;
  };
  const open = async () => {
    const { createGrants } = await load(() => import('../../tools/grant-rules.js'));
    if (now()) return grants!;
    grants = createGrants({
      log,
      // Write the sentence in the current language: a stored one could lie, and the number of uses left changes.
      say(grant) {
        const tool = registry.get(grant.toolName);
        const { toolName, toolHost = '' } = grant;
        // Another tool may have the name by now.
        const label = tool && hostOf(tool) === toolHost ? registry.labelOf(tool) : toolName;
        return grantSentence(grant, labelWithHost({ label, toolHost }, texts()), texts());
      },
    });
    emit('grants', grants);
    return grants;
  };
  return {
    now,
    open,
    async add(grant) {
      const { toolName } = grant;
      const user = userOf(settings());
      const desk = await open().catch((error: unknown) => {
        log.warn('grants.lost', 'What was granted beyond this call could not be kept', { toolName }, { error });
      });
      if (!desk || user !== owner) return;
      isGiven = true;
      desk.add(grant);
    },
  };
}

export const resourcesOf = ({ resource = [] }: ToolDefinition): readonly string[] => [resource].flat();
