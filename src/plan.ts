/** What a model writes beside calls: a plan of the task, or questions about it. Floor 0. */

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

/** S4-27. */
export interface TaskPlan {
  goal: string;
  steps: readonly PlanStep[];
}

/** A guess, and at most two questions in case it is wrong (S4-44). */
export interface Clarify {
  /** What the assistant will do if nobody says otherwise. */
  default: string;
  questions: readonly { text: string; options: readonly string[] }[];
}
