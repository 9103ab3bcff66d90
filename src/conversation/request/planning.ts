/**
 * Decides if a message needs a plan, and writes the prompt parts about plans and questions. Loaded if planning or questions are enabled.
 */
import { load } from '../../base/load.js';
import { fullEnglish } from '../../i18n/en.js';
import type { BlockKind, BlockProblem, TaskPlan } from '../../model/plan.js';
import { promptTextsFor } from '../../prompts/prompt-texts.js';
import { neutralise } from '../../protocols/neutralize.js';
import type { ConversationEvent, PlanningWords, ReplyInput } from '../chart/chart-context.js';
import { windowOf } from '../chart/message-window.js';
import { isFinished, currentPlan } from '../chart/current-plan.js';
import { registerPlanSteps } from '../chart/plan-steps.js';
import { nextStep } from '../chart/plan-progress.js';
import { plansFirst, permissionsOf } from '../options/read-settings.js';
import type { Settings } from '../options/settings.js';
import type { PlanningOptions } from '../options/option-shapes.js';
import { goalsIn, type NamedTool } from './detect-goals.js';
import type { PromptContext } from './prompt-input.js';
import { inLanguage } from '../../protocols/render-tool-docs.js';

fullEnglish();
registerPlanSteps();

const MIN_LENGTH = 300;
const MIN_VERBS = 2;

export interface Planning {
  words: PlanningWords;
  /** The block kinds that this request teaches, and that are parsed in its reply. */
  reads: readonly BlockKind[];
  /** The text shown when a reply is nothing but an unusable plan. */
  instead: string;
}

export async function openPlanning(
  protocolId: string,
  input: ReplyInput,
  speaker: PromptContext,
  sendBack: (event: ConversationEvent) => void,
): Promise<Planning> {
  const { turn, messages } = input;
  const { settings } = turn;
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const placed = currentPlan(input);
  const active = placed && !isFinished(placed.plan) ? placed.plan : undefined;
  // A plan is requested only once: if this message already has one, that plan applies.
  const isAnswered = placed !== undefined && messages.findIndex(({ id }) => id === placed.messageId) > asked;
  let { over, problem, pushed, unknown = [] } = turn.planning ?? {};
  if (settings.planning === 'threshold' && !turn.planning) {
    over =
      !isAnswered &&
      (await isOverThreshold(
        messages[asked]?.text ?? '',
        settings.planningOptions,
        () => wholeText(protocolId, input, speaker),
        toolsFor(settings, speaker),
      ));
    if (over || active) sendBack({ type: 'plan.due', over, steps: active?.steps.length ?? 0 });
  }
  const planFirst = over === true && !isAnswered;
  const lang = settings.promptOptions.lang ?? settings.lang;
  const words = planTextsFor(lang);
  const next = active && nextStep(active);
  return {
    instead: settings.texts.planUnusable,
    words: {
      planFirst,
      also: active
        ? [
            words.planState(neutralise(writePlan(active))),
            ...(unknown.length > 0 ? [words.planUnknownTools(neutralise(unknown.join(promptTextsFor(lang).list)))] : []),
          ]
        : [],
      asks: [
        ...(problem === undefined ? [] : [words.planInvalid(neutralise(sayProblem(problem, words)))]),
        ...(pushed && next && turn.results.length === 0 ? [words.planGoOn(next.title)] : []),
      ],
    },
    reads: [
      ...(planFirst || active || problem !== undefined ? (['task_plan'] as const) : []),
      ...(plansFirst(settings) ? (['clarify'] as const) : []),
    ],
  };
}

function sayProblem(problem: BlockProblem, { planProblems }: ReturnType<typeof planTextsFor>): string {
  const parts = 'ids' in problem ? problem.ids : 'field' in problem ? [problem.field] : [];
  return planProblems[problem.code]!(...parts);
}

/**
 * Checks whether a message needs a plan: it is long, names several goals, or costs much. Length is counted in graphemes.
 * @param whole returns the text of the whole request; called only if cost counts
 * @param tools the tools that can be called
 */
export async function isOverThreshold(
  text: string,
  { minLength = MIN_LENGTH, verbs, minVerbs = MIN_VERBS, maxCost }: PlanningOptions,
  whole: () => string | Promise<string>,
  tools: readonly NamedTool[] = [],
): Promise<boolean> {
  if (isLonger(text, minLength)) return true;
  if (goalsIn(text, verbs, tools).length >= Math.max(1, minVerbs)) return true;
  if (maxCost === undefined) return false;
  const { estimateTokens } = await load(() => import('../../prompts/tokens.js'));
  return estimateTokens(await whole()) > maxCost;
}

function isLonger(text: string, characters: number): boolean {
  // A grapheme has at least one UTF-16 unit, so a short text need not be segmented.
  if (text.length <= characters) return false;
  let left = characters;
  for (const _ of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) if ((left -= 1) < 0) return true;
  return false;
}

/** Includes the tool section, which is most of a request's cost. */
async function wholeText(protocolId: string, { turn: { settings }, messages }: ReplyInput, speaker: PromptContext): Promise<string> {
  const { previewSystem } = await load(() => import('./prompt-context.js'));
  const system = await previewSystem(protocolId, settings, speaker);
  return [system, ...windowOf(messages, settings).map(({ text, raw }) => raw ?? text)].join('\n');
}

const toolsFor = (settings: Settings, { registry }: PromptContext): NamedTool[] =>
  settings.tools === 'off'
    ? []
    : registry.list({
        permissions: permissionsOf(settings.context),
        toolToggles: settings.toolToggles,
        defaultToolEnabled: settings.defaultToolEnabled,
      });

/** One line per step: it needs fewer tokens than JSON and does not look like a new plan. */
function writePlan({ goal, steps }: TaskPlan): string {
  const line = ({ id, title, tool, dependsOn, status }: TaskPlan['steps'][number]) =>
    `- [${status}] ${id}: ${title}${tool === undefined ? '' : ` (${tool})`}${dependsOn.length > 0 ? ` ← ${dependsOn.join(', ')}` : ''}`;
  return [goal, ...steps.map(line)].map((text) => text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ')).join('\n');
}

/** Texts for the model about an active plan, in the prompt's language. */
const zh = {
  planState: (plan: string) =>
    `正在执行的计划（带工具的步骤的状态由系统根据调用结果更新）：\n${plan}\n按依赖顺序继续未完成的步骤，不要重复已完成的步骤；依赖的步骤失败后，后续步骤会被跳过。计划需要改变时，重新写一个 task_plan 代码块，保留原有步骤的 id。`,
  planInvalid: (problem: string) => `invalid_format：task_plan 无法使用（${problem}）。请重新写出修正后的代码块，然后继续。`,
  planProblems: {
    json: () => '不是合法的 JSON',
    end: () => '没有写完',
    behind: () => '代码块中 JSON 之后还有其他内容',
    shape: (field: string) => (field ? `字段 ${field} 缺失或不符合要求` : '结构不符合要求'),
    none: () => '至少需要一个步骤',
    twice: (id: string) => `有两个步骤的 id 都是“${id}”`,
    unknown: (id: string, other: string) => `步骤“${id}”依赖的“${other}”不存在`,
    circle: (id: string) => `步骤“${id}”直接或间接地依赖自己`,
  } as Record<string, (...parts: string[]) => string>,
  planUnknownTools: (names: string) => `没有名为 ${names} 的工具：相应的步骤请直接完成，或改用现有的工具。`,
  planGoOn: (title: string) => `现在执行计划，从这一步开始：${title}`,
};

const en: typeof zh = {
  planState: (plan) =>
    `The plan at work (the state of steps with a tool is kept by the system, from the results of calls):\n${plan}\nGo on with the steps that are not done, in the order of their dependencies, and repeat none that is; what depends on a failed step is skipped. To change the plan, write the task_plan block anew and keep the ids of its steps.`,
  planInvalid: (problem) =>
    `invalid_format: the task_plan could not be used (${problem}). Write the corrected block once more, then go on.`,
  planProblems: {
    json: () => 'it is not valid JSON',
    end: () => 'it has no end',
    behind: () => 'something follows the JSON in its block',
    shape: (field: string) => (field ? `the field ${field} is missing or does not fit` : 'its shape does not fit'),
    none: () => 'it needs a step at least',
    twice: (id: string) => `two steps have the id “${id}”`,
    unknown: (id: string, other: string) => `step “${id}” depends on “${other}”, which is no step`,
    circle: (id: string) => `step “${id}” depends on itself, directly or through others`,
  } as Record<string, (...parts: string[]) => string>,
  planUnknownTools: (names) => `There is no tool named ${names}: do these steps yourself, or with a tool that there is.`,
  planGoOn: (title) => `Carry out the plan now, beginning with: ${title}`,
};

export function planTextsFor(lang: string): typeof zh {
  return inLanguage(lang, zh, en);
}
