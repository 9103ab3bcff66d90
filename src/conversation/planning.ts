/**
 * Whether a message is worth a plan, and what the model is told about plans and questions in this request (S4-25, S4-26, S4-43). Loaded where
 * planning or questions are switched on.
 */
import { wholeEnglish } from '../i18n/en.js';
import { promptTextsFor } from '../prompts/prompt-texts.js';
import { neutralise } from '../protocols/neutralise.js';
import type { TaskPlan } from '../plan.js';
import type { BlockKind } from './block-reader.js';
import type { ReplyInput } from './conversation-machine.js';
import { goalsIn } from './goal-verbs.js';
import { isFinished, nextStep, placedPlan } from './plan.js';
import { windowOf } from './plain-talk.js';
import { asksFirst, type PlanningOptions } from './settings.js';
import type { ConversationEvent } from './turn.js';

wholeEnglish();

const MIN_LENGTH = 300;
const MIN_VERBS = 2;

/** What is added to one request. */
export interface PlanningWords {
  /** The section that asks for a plan. */
  planFirst: boolean;
  /** Further sections: how far the plan is. */
  also: readonly string[];
  /** Said at the end, by nobody. */
  asks: readonly string[];
}

export interface Planning {
  words: PlanningWords;
  /** The blocks that are taught in this request, and so are read in its reply. */
  reads: readonly BlockKind[];
}

export async function openPlanning(input: ReplyInput, sendBack: (event: ConversationEvent) => void): Promise<Planning> {
  const { turn, messages } = input;
  const { settings } = turn;
  const { texts } = settings;
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const placed = placedPlan(input);
  const active = placed && !isFinished(placed.plan) ? placed.plan : undefined;
  // Asked for once: the plan that answers this message is the one to go by.
  const isAnswered = placed !== undefined && messages.findIndex(({ id }) => id === placed.messageId) > asked;
  let { over, problem, pushed } = turn.planning ?? {};
  if (settings.planning === 'threshold' && !turn.planning) {
    over = !isAnswered && (await isOverThreshold(messages[asked]?.text ?? '', settings.planningOptions, () => wholeText(input)));
    if (over || active) sendBack({ type: 'plan.due', over, steps: active?.steps.length ?? 0 });
  }
  const planFirst = over === true && !isAnswered;
  const words = promptTextsFor(settings.promptOptions.lang ?? settings.lang);
  const next = active && nextStep(active);
  return {
    words: {
      planFirst,
      also: active ? [words.planState(neutralise(writePlan(active)))] : [],
      asks: [
        ...(problem === undefined ? [] : [texts.planInvalid(neutralise(problem))]),
        ...(pushed && next && turn.results.length === 0 ? [texts.planGoOn(next.title)] : []),
      ],
    },
    reads: [
      ...(planFirst || active || problem !== undefined ? (['task_plan'] as const) : []),
      ...(asksFirst(settings) ? (['clarify'] as const) : []),
    ],
  };
}

/**
 * Whether a message is worth a plan: it is long, names several goals, or costs much. Length is in characters as people count them.
 * @param whole text of the whole request; asked for only where cost counts
 */
export async function isOverThreshold(
  text: string,
  { minLength = MIN_LENGTH, verbs, minVerbs = MIN_VERBS, maxCost }: PlanningOptions,
  whole: () => string,
): Promise<boolean> {
  if (isLonger(text, minLength)) return true;
  if (goalsIn(text, verbs).length >= Math.max(1, minVerbs)) return true;
  if (maxCost === undefined) return false;
  const { estimateTokens } = await import('../prompts/tokens.js');
  return estimateTokens(whole()) > maxCost;
}

function isLonger(text: string, characters: number): boolean {
  // A character has at least one unit: a short text need not be counted.
  if (text.length <= characters) return false;
  let left = characters;
  for (const _ of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) if ((left -= 1) < 0) return true;
  return false;
}

function wholeText({ turn: { settings }, messages }: ReplyInput): string {
  return [settings.systemPrompt, ...windowOf(messages, settings).map(({ text, raw }) => raw ?? text)].join('\n');
}

/** A step a line: fewer tokens than JSON, and nothing that looks like a new plan. */
function writePlan({ goal, steps }: TaskPlan): string {
  const line = ({ id, title, tool, dependsOn, status }: TaskPlan['steps'][number]) =>
    `- [${status}] ${id}: ${title}${tool === undefined ? '' : ` (${tool})`}${dependsOn.length > 0 ? ` ← ${dependsOn.join(', ')}` : ''}`;
  return [goal, ...steps.map(line)].map((text) => text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ')).join('\n');
}
