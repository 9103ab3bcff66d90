/** Blocks that a model writes besides calls: a plan of the task, or questions about it. */

export type StepStatus = 'todo' | 'doing' | 'done' | 'failed' | 'skipped';

export interface PlanStep {
  id: string;
  title: string;
  /** The tool that this step needs, by the name that the model writes. */
  tool?: string;
  input?: object;
  /** Ids of the steps that must be done before this one. */
  dependsOn: readonly string[];
  status: StepStatus;
}

/** A plan of the task. */
export interface TaskPlan {
  goal: string;
  steps: readonly PlanStep[];
}

/** The assistant's assumption, and at most two questions in case it is wrong. */
export interface Clarify {
  /** The assistant's assumption. It acts on it if the user does not object. */
  default: string;
  questions: readonly { text: string; options: readonly string[] }[];
}

/** Kinds of blocks that a model may write besides calls. */
export type BlockKind = 'task_plan' | 'clarify';

/** A problem with the steps of a plan: it has none, an id is used twice, a dependency is unknown, or steps depend on each other. */
export type PlanProblem = 'none' | 'twice' | 'unknown' | 'circle';

/** A problem with a block: its JSON is invalid, has no end or is followed by more text; a field is wrong; or the steps of the plan are. */
export type BlockProblem =
  { code: 'json' | 'end' | 'behind' } | { code: 'shape'; field: string } | { code: PlanProblem; ids: readonly string[] };
