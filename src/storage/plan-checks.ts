/** Checks for plans and questions of a model, which are untrusted. Each check returns a fresh copy or throws `Damaged`. */
import { own } from '../base/objects.js';
import type { Clarify, PlanProblem, PlanStep, TaskPlan } from '../model/plan.js';
import { ValidationError, data, list, oneOf, optional, object, text, type Check } from '../base/checks.js';

/** An invalid plan, as a code for callers with their own messages. `ids` are ids of steps. */
export class PlanFault extends ValidationError {
  readonly code: PlanProblem;
  readonly ids: readonly string[];

  constructor(code: PlanProblem, expected: string, ...ids: string[]) {
    super(expected);
    this.code = code;
    this.ids = ids;
  }
}

/** Maximum number of steps. It also limits how far a plan can raise the number of rounds. */
const MOST_STEPS = 20;
const LONGEST = 500;

/** Further questions and options are not shown. */
const MOST_QUESTIONS = 2;
const MOST_OPTIONS = 6;

const words: Check<string> = (value) => {
  const said = text(LONGEST)(value).trim();
  if (said === '') throw new ValidationError('some text');
  return said;
};

/** An id as a string. Models often write numbers. */
const id: Check<string> = (value) => words(typeof value === 'number' ? String(value) : value);

interface Written extends Omit<PlanStep, 'dependsOn' | 'status'> {
  dependsOn?: string[];
  depends_on?: string[];
  status?: PlanStep['status'];
}

const written = object<Written>({
  id,
  title: words,
  tool: optional(words),
  input: optional(data),
  dependsOn: optional(list(id, MOST_STEPS)),
  depends_on: optional(list(id, MOST_STEPS)),
  status: optional(oneOf('todo', 'doing', 'done', 'failed', 'skipped')),
});

const plan: Check<{ goal: string; steps: Written[] }> = object({ goal: words, steps: list(written, MOST_STEPS) });

/** Checks a plan. Its `status` values are the model's claims; `plan.ts` decides which of them to accept. */
export function planOf(value: unknown): TaskPlan {
  const { goal, steps } = plan(withoutNull(value));
  if (steps.length === 0) throw new PlanFault('none', 'steps: at least one step');
  const ids = new Set<string>();
  for (const step of steps) {
    if (ids.has(step.id)) throw new PlanFault('twice', `steps: “${step.id}” is the id of two steps`, step.id);
    ids.add(step.id);
  }
  const checked = steps.map(({ dependsOn, depends_on, status = 'todo', ...step }): PlanStep => ({
    ...step,
    dependsOn: [...new Set(dependsOn ?? depends_on ?? [])],
    status,
  }));
  for (const step of checked)
    for (const other of step.dependsOn)
      if (!ids.has(other)) throw new PlanFault('unknown', `steps: “${step.id}” depends on “${other}”, which is no step`, step.id, other);
  const stuck = inCircles(checked);
  if (stuck) throw new PlanFault('circle', `steps: “${stuck}” depends on itself, directly or through others`, stuck);
  return { goal, steps: checked };
}

/** Returns the id of a step in a dependency cycle. Repeatedly removes steps without open dependencies; the rest form cycles. */
function inCircles(steps: readonly PlanStep[]): string | undefined {
  let left = [...steps];
  for (let before = -1; before !== left.length;) {
    before = left.length;
    const open = new Set(left.map((step) => step.id));
    left = left.filter((step) => step.dependsOn.some((other) => open.has(other)));
  }
  return left[0]?.id;
}

/** Removes `null` and empty fields, which models write for absent values. */
function withoutNull(value: unknown): unknown {
  const steps = own(value, 'steps');
  if (!Array.isArray(steps)) return value;
  const clean = (step: unknown) =>
    typeof step === 'object' && step !== null && !Array.isArray(step)
      ? Object.fromEntries(Object.entries(step).filter(([, field]) => field !== null && field !== ''))
      : step;
  return { goal: own(value, 'goal'), steps: steps.map(clean) };
}

/** Matches a bare request for more information, which the user cannot answer. */
const BARE = /^[\s"“”'。.…!！?？]*(?:请|麻烦)?(?:您|你)?(?:再)?补充(?:一下|说明|信息|更多信息|细节)?[\s"“”'。.…!！?？]*$/;

const question = object<{ text: string; options?: string[] }>({ text: words, options: optional(list(words, 100)) });
const questions = object<{ default: string; questions?: { text: string; options?: string[] }[] }>({
  default: words,
  questions: optional(list(question, 100)),
});

export function clarifyOf(value: unknown): Clarify {
  const asked = questions(value);
  if (isBare(asked.default)) throw new ValidationError('default: a guess');
  return {
    default: asked.default,
    questions: (asked.questions ?? [])
      .filter(({ text: said }) => !isBare(said))
      .slice(0, MOST_QUESTIONS)
      .map(({ text: said, options = [] }) => ({ text: said, options: [...new Set(options)].slice(0, MOST_OPTIONS) })),
  };
}

export const isBare = (said: string): boolean => said.length < 40 && BARE.test(said);
