/** Builds the content of one request: the system prompt, the conversation so far, and the tools under `native`. */
import { isObject, own } from '../../base/objects.js';
import { load } from '../../base/load.js';
import { loadMissingPatterns } from '../../base/patterns.js';
import { localDay } from '../../base/days.js';
import { addCallTexts } from '../../i18n/en-calls.js';
import type { PublishedResult } from '../../model/calls.js';
import type { ToolChoice } from '../../model/snapshot.js';
import type { ToolProtocol } from '../../protocols/protocol.js';
import { inLanguage } from '../../protocols/render-tool-docs.js';
import { asksByPolicy } from '../../tools/approval-policy.js';
import { resultText } from '../../transports/attachment-text.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { hostOf, isDescribedByOthers } from '../../tools/tool-source.js';
import type { PlanningWords, ReplyInput } from '../chart/chart-context.js';
import { confirmWords } from '../chart/keyword-confirmation.js';
import { sectionTemplates } from '../options/composer-templates.js';
import { plansFirst } from '../options/read-settings.js';
import type { Settings } from '../options/settings.js';
import { buildHistory } from './history.js';
import { type Described, type ComposedRequest, type PromptContext, usableTools } from './prompt-input.js';
import { NATIVE, type Protocols } from './protocol-registry.js';

addCallTexts();

/** Loads the texts of prompts, in the language of the prompt. If the Chinese ones are missing, the prompt is in English. */
export async function loadPrompts(settings: Settings) {
  const isChinese = inLanguage(options(settings).lang, true, false);
  const [prompts, chinese] = await Promise.all([
    load(() => import('../../prompts/index.js')),
    isChinese ? load(() => import('../../prompts/chinese.js')).catch(() => undefined) : undefined,
  ]);
  chinese?.addChinesePrompts();
  return prompts;
}

export async function buildRequestWithTools(
  protocolId: string,
  input: ReplyInput,
  speaker: PromptContext,
  signal: AbortSignal,
): Promise<ComposedRequest> {
  const { settings } = input.turn;
  const { disabled = [] } = input.turn;
  const tools = usableTools(settings, speaker).filter(({ name }) => !disabled.includes(name));
  // A chat without tools, calls or a prompt does not need to load the protocol or the prompts.
  if (tools.length === 0 && input.calls.length === 0 && settings.systemPrompt === '' && !input.planning)
    return {
      ...buildHistory(input, { ...settings, protocol: protocolId }, { tell: () => '', undone: '', maybeUndone: '', instead: () => '' }),
      system: '',
    };

  const [protocol, prompts] = await Promise.all([existingProtocol(protocolId, speaker.protocols), loadPrompts(settings)]);
  const described = prompts.describeTools(tools, protocol.id);
  await warnOnce(tools, protocol.id, speaker);
  const strangers = [...new Set(tools.filter(isDescribedByOthers).map(hostOf))];
  const { lang } = options(settings);
  const tell = (results: readonly PublishedResult[], repair: boolean) =>
    prompts.formatResults(protocol, results, lang, repair ? { ...settings, tools: described } : undefined);
  const { writeCall } = protocol;
  const { lock } = input.turn;
  const talk = buildHistory(
    input,
    { ...settings, protocol: protocolId },
    {
      tell,
      undone: settings.texts.undoneByPerson,
      maybeUndone: settings.texts.undoUnsureSays,
      instead: settings.texts.standInSays,
      ...(writeCall && { writeCall }),
    },
  );
  // Not a real message: a limit ended the turn, and the user let it continue.
  if (input.turn.isContinuation && input.turn.results.length === 0)
    talk.messages.push({ role: 'user', text: settings.texts.continueAnswer });
  // Not a real message, and never shown: after the last round, another call would only be refused.
  if (input.turn.closing) talk.messages.push({ role: 'user', text: settings.texts.answerNow });
  // Not a real message: asks the model again to call the tool that the user chose.
  if (lock?.asked) talk.messages.push({ role: 'user', text: settings.texts.callLocked(lock.tool) });
  // Not a real message: the last reply should have contained a call, but did not.
  const { missing, reminded } = input.turn;
  if (reminded && missing)
    talk.messages.push({ role: 'user', text: settings.texts[missing === 'thought' ? 'callThought' : 'callAnnounced'] });
  // Not a real message: reports a problem with a plan, or tells the model to start it.
  for (const text of input.planning?.asks ?? []) talk.messages.push({ role: 'user', text });
  const examples = sendsExamples(settings) ? prompts.exampleTurns(protocol, described, { lang }) : [];
  return {
    system: await writeSystem(settings, protocol, described, speaker, signal, lock?.tool, input.planning),
    ...talk,
    ...(strangers.length > 0 && { strangers }),
    messages: [...examples.map((turn) => ({ ...turn, example: true as const })), ...talk.messages],
    ...(settings.constrain === 'auto' &&
      (await load(() => import('./constrain-output.js'))).constraintsOf(protocolId, described, input, speaker)),
    ...(protocolId === NATIVE &&
      tools.length > 0 && { tools: (await load(() => import('../../protocols/native.js'))).nativeTools(described) }),
    ...(settings.promptInjection === 'relay' && {
      config: await relayConfig(promptOf(settings, protocol, described, speaker, lock?.tool, input.planning), described, settings, signal),
    }),
  };
}

/** The relay's gate compares every call in the messages with the calls it has seen, and would refuse the made-up calls of examples. */
const sendsExamples = ({ promptOptions, promptInjection, orchestration }: Settings): boolean =>
  promptOptions.exampleTurns !== false && promptInjection === 'client' && orchestration === 'client';

/** Returns the system prompt as it would be sent now, with all generated parts. */
export async function previewSystem(protocolId: string, settings: Settings, speaker: PromptContext): Promise<string> {
  const [protocol, { describeTools }] = await Promise.all([existingProtocol(protocolId, speaker.protocols), loadPrompts(settings)]);
  const described = describeTools(usableTools(settings, speaker), protocol.id);
  return writeSystem({ ...settings, promptInjection: 'client' }, protocol, described, speaker, new AbortController().signal);
}

/** Returns only the tool list of the prompt. */
export async function listTools(settings: Settings, speaker: PromptContext): Promise<string> {
  const { protocols } = speaker;
  const [protocol, { describeTools }] = await Promise.all([
    protocols.whole(settings.protocol === NATIVE ? protocols.textFor(settings) : settings.protocol),
    loadPrompts(settings),
  ]);
  return protocol.generateToolDefinitions(describeTools(usableTools(settings, speaker), protocol.id), {
    ...options(settings),
    wording: settings.promptOptions.wording,
  });
}

/** Collects everything that a system prompt depends on. */
function promptOf(
  settings: Settings,
  protocol: ToolProtocol,
  described: Described,
  { macros, log }: PromptContext,
  lockedTool?: string,
  planning?: PlanningWords,
) {
  const { toolTokens = DEFAULT_TOOL_TOKENS, sections, counterExamples, wording } = settings.promptOptions;
  return {
    systemPrompt: settings.systemPrompt,
    callsPerTurn: settings.callsPerTurn,
    ...options(settings),
    protocol,
    tools: protocol.id === NATIVE || settings.promptInjection !== 'client' ? [] : described,
    variables: settings.context,
    sections,
    counterExamples,
    wording,
    templates: sectionTemplates(settings.promptTemplates),
    // Without keywords, the prompt only says that the user has to agree.
    ...(settings.confirmVia !== 'buttons' && { confirmKeywords: confirmWords(settings) }),
    macros,
    lockedTool,
    guessFirst: plansFirst(settings),
    planFirst: planning?.planFirst,
    also: planning?.also,
    toolTokens,
    warn: (message: string) => log.warn('prompt.macro', message),
  };
}

/** Returns what our relay needs to write the tool parts of the prompt in place of the page. */
async function relayConfig(prompt: ReturnType<typeof promptOf>, described: Described, settings: Settings, signal: AbortSignal) {
  const { protocol, callsPerTurn, lang, counterExamples, wording, lockedTool, confirmKeywords } = prompt;
  const { fillSections } = await loadPrompts(settings);
  const sections = await fillSections(prompt, signal);
  return {
    enabledTools: described.flatMap(({ methods }) => methods.map(({ name }) => name)),
    ...{ toolParadigm: protocol.id, callsPerTurn, lang, tools: described, today: localDay() },
    ...(Object.keys(sections).length > 0 && { sections }),
    ...(counterExamples !== undefined && { counterExamples }),
    ...(wording !== undefined && { wording }),
    ...(settings.promptOptions.exampleTurns === false && { exampleTurns: false }),
    ...(lockedTool !== undefined && { lockedTool }),
    ...(confirmKeywords && { confirmKeywords }),
  };
}

async function writeSystem(
  settings: Settings,
  protocol: ToolProtocol,
  described: Described,
  speaker: PromptContext,
  signal: AbortSignal,
  lockedTool?: string,
  planning?: PlanningWords,
): Promise<string> {
  const { buildSystemPrompt } = await loadPrompts(settings);
  const prompt = promptOf(settings, protocol, described, speaker, lockedTool, planning);
  let paged = false;
  const system = await buildSystemPrompt({ ...prompt, onPaged: () => (paged = true) }, signal);
  if (paged) await offerDetails(described, settings, speaker);
  return system;
}

/**
 * Registers our own tool that returns full definitions, for a prompt that only lists names. It is registered like a host's tool, but not
 * listed.
 */
async function offerDetails(described: Described, settings: Settings, speaker: PromptContext): Promise<void> {
  const { describeToolFor, DESCRIBE_TOOL } = await load(() => import('../../prompts/paging.js'));
  speaker.paged.tools = described;
  if (speaker.registry.has(DESCRIBE_TOOL)) return;
  const { lang } = options(settings);
  speaker.registry.register({
    ...describeToolFor([], lang),
    execute: (args: Record<string, unknown>) => describeToolFor(speaker.paged.tools, lang).execute(args),
  });
  speaker.unlisted.add(DESCRIBE_TOOL);
}

/** The estimated tokens of a tool list above which it is paged. */
export const DEFAULT_TOOL_TOKENS = 6000;

const options = (settings: Settings) => ({ lang: settings.promptOptions.lang ?? settings.lang });

/** `native` has no text format, but still needs one for the results of calls in other protocols. */
async function existingProtocol(protocolId: string, protocols: Protocols): Promise<ToolProtocol> {
  if (protocolId !== NATIVE) return protocols.whole(protocolId);
  return {
    id: NATIVE,
    generateToolDefinitions: () => '',
    parseToolRequests: () => [],
    formatToolResults: (results) => results.map(({ toolName, status, result }) => resultText(toolName, result, status)).join('\n\n'),
  };
}

/**
 * Returns the tools that the user can choose from. If the host decides on approval, `asks` is false, because the decision is not known yet.
 */
export const toolChoices = (settings: Settings, speaker: PromptContext, hostDecides: boolean): ToolChoice[] =>
  usableTools(settings, speaker).map((tool) => {
    const { name, icon, examples = [] } = tool;
    const label = speaker.registry.labelOf(tool);
    const risk = tool.risk ?? 'undeclared';
    // Placeholders for days are filled in only for the model.
    const says = examples.map((example) => own(example, 'say')).find((say): say is string => typeof say === 'string' && !say.includes('{'));
    const asks = !hostDecides && asksByPolicy(settings.approval, risk) !== undefined;
    return { name, label, risk, asks, ...(icon && { icon }), ...(says && { says }) };
  });

const PLAIN_NAME = /^(?!(?:constructor|prototype|tool_name)$)[a-z]\w*$/i;
const PLAIN_KEY = /^(?:type|description|properties|required|additionalProperties|enum)$/;
const PLAIN_TYPE = /^(?:string|number|integer|boolean)$/;

/** Checks whether a tool takes plain values by plain names, as most do. Every protocol can write these, so no warning is loaded for it. */
function isPlain({ examples, payload, parameters }: ToolDefinition): boolean {
  const hasPlainKeys = (one: object) => Object.keys(one).every((key) => PLAIN_KEY.test(key));
  return (
    !examples &&
    !payload &&
    isObject(parameters) &&
    hasPlainKeys(parameters) &&
    Object.entries(parameters['properties'] ?? {}).every(
      ([name, one]) => PLAIN_NAME.test(name) && isObject(one) && hasPlainKeys(one) && PLAIN_TYPE.test(one['type'] as string),
    )
  );
}

async function warnOnce(tools: readonly ToolDefinition[], protocolId: string, { log, warned }: PromptContext): Promise<void> {
  const fresh = tools.filter((tool) => !warned.has(`${protocolId} ${tool.name}`) && !isPlain(tool));
  if (fresh.length === 0) return;
  const { protocolWarnings } = await load(() => import('../../tools/warnings.js'));
  const warnings = () => fresh.flatMap((tool) => protocolWarnings(tool, protocolId).map((message) => ({ message, toolName: tool.name })));
  for (const { name } of fresh) warned.add(`${protocolId} ${name}`);
  let found = warnings();
  if (await loadMissingPatterns()) found = warnings();
  for (const { message, toolName } of found) log.warn('tool.protocol', message, { toolName });
}
