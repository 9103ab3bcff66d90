/** What a model writes beside calls: a plan of the task, or questions about it. */

export type StepStatus = 'todo' | 'doing' | 'done' | 'failed' | 'skipped';

export interface PlanStep {
  id: string;
  title: string;
  /** The tool that this step needs, as the model writes its name. */
  tool?: string;
  input?: object;
  /** Ids of the steps that have to be done first. */
  dependsOn: readonly string[];
  status: StepStatus;
}

/** */
export interface TaskPlan {
  goal: string;
  steps: readonly PlanStep[];
}

/** A guess, and at most two questions in case it is wrong. */
export interface Clarify {
  /** What the assistant will do if nobody says otherwise. */
  default: string;
  questions: readonly { text: string; options: readonly string[] }[];
}

/** Blocks that a model may write beside calls. */
export type BlockKind = 'task_plan' | 'clarify';

/** What is wrong with the steps of a plan: there are none, an id stands twice, a dependency is unknown, or they wait for each other. */
export type PlanProblem = 'none' | 'twice' | 'unknown' | 'circle';

/** What is wrong with a block: JSON that is none, has no end or is followed by something; a field; or the steps of a plan. */
export type BlockProblem =
  { code: 'json' | 'end' | 'behind' } | { code: 'shape'; field: string } | { code: PlanProblem; ids: readonly string[] };
