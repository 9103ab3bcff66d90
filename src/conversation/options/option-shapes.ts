/** Options that are objects: what may be in them. */
import type { ErrorType } from '../../base/errors.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';

export interface Limits {
  /** UTF-16 units of one line of a stream. */
  lineChars: number;
  /** UTF-16 units of one result as the model gets it; the screen can show all. */
  resultChars: number;
  /** Nesting of arguments. */
  depth: number;
  callsPerReply: number;
  asksPerTurn: number;
}
export type HeadersOption = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** Sections of the generated prompt, each instead of the generated one; an empty text leaves it out. */
export interface PromptSections {
  format?: string;
  tools?: string;
  rules?: string;
  behaviour?: string;
}

export interface PromptOptions {
  /** Results of one reply in one message to the model. Default true. */
  mergeResults?: boolean;
  /** Adds a labelled wrong example. Default false; under the preset `cutie-xml` true. */
  counterExamples?: boolean;
  /** `seed`: in the words of the seed that the notation comes from, to the letter. Default `plain`; the presets of the seeds have `seed`. */
  wording?: 'plain' | 'seed';
  /** BCP 47 of generated prompts, apart from the screen's. */
  lang?: string;
  sections?: PromptSections;
  /** Sends examples that have a `say` as turns before the conversation. Default true. */
  exampleTurns?: boolean;
  /** The model guesses, and asks at most two questions with a card. Default: under `planning="threshold"`. */
  clarify?: boolean;
  /**
   * Estimated tokens of the tool list above which only names are sent, and details on demand. Default 6000, and where the model's window is
   * known at most half of it; 0 = always all.
   */
  toolTokens?: number;
}

/** What is done about an error, in order; see `strategies.ts`. */
export type Strategy = 'fail' | 'explain' | 'ask' | 'degrade' | 'disable' | { retry: number; baseMs?: number };
export type ErrorStrategies = Readonly<Partial<Record<ErrorType, readonly Strategy[]>>>;

/** When a message is worth a plan. */
export interface PlanningOptions {
  /** Characters of a message, as people count them: one that is longer is worth a plan. Default 300. */
  minLength?: number;
  /** Words that name a goal, each a different one. Default: the usual ones in Chinese and English, and the verbs of the tools. */
  verbs?: readonly string[];
  /** How many different ones it takes. Default 2. */
  minVerbs?: number;
  /** Estimated tokens of the whole request, its tools included. Default: none. */
  maxCost?: number;
}

/** Answers the host keeps; the key is of the request, as text. */
export interface AnswerCache {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, answer: string): void | Promise<void>;
  /** Called by `clearCache()`; without it, what is kept is no longer asked for. */
  clear?(): void | Promise<void>;
}

export interface ComposerTemplate {
  label: string;
  /** `{name}` is a place to fill. */
  text: string;
}

/** Sections by protocol id, and under `composer` a list for the people who write. */
export type PromptTemplates = Readonly<Record<string, PromptSections | readonly ComposerTemplate[]>>;

/** What a person may want to say next. */
export type Suggest = (now: ConversationSnapshot) => readonly string[] | Promise<readonly string[]>;

/** What is shown otherwise than it was written. */
export interface TextRule {
  /** A text is looked for as it stands, a regular expression as it says; each match counts. */
  pattern: string | RegExp;
  /** For a regular expression `$1`, `$<name>` and `$&` stand for what it found. */
  replace: string;
  /** Whose messages; `tool`: what tools answer. Default: everybody's. */
  targetRoles?: readonly ('user' | 'assistant' | 'tool' | 'system')[];
}

/**
 * What is private: a kind by its name (`email`, `phone`, `card`, `iban`, `ip`), or values of one's own under a name of 1 to 24 letters, digits
 * or `_`, by a pattern, as texts and fields of the page that a selector finds, or as they are. A pattern that could take long is refused.
 */
export type PrivateValue =
  | 'email'
  | 'phone'
  | 'card'
  | 'iban'
  | 'ip'
  | { name?: string; pattern: RegExp | string }
  | { name?: string; selector: string }
  | { name?: string; values: readonly (string | number)[] | (() => readonly (string | number)[]) };

/** Texts and values of the page's elements that a selector finds. Throws for what is no selector. */
export type ReadPage = (selector: string) => readonly string[];
