/** Types of the options that are objects. */
import type { ErrorType } from '../../base/errors.js';
import type { ConversationSnapshot } from '../../model/snapshot.js';

export interface Limits {
  /** Maximum length of one line of a stream, in UTF-16 units. */
  lineChars: number;
  /** Maximum length of one result as the model gets it, in UTF-16 units. The screen can show all of it. */
  resultChars: number;
  /** Maximum nesting depth of arguments. */
  depth: number;
  callsPerReply: number;
  asksPerTurn: number;
}
export type HeadersOption = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** Sections of the prompt. Each replaces the generated one; an empty text removes it. */
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
  /** `seed`: the exact wording of the design that the protocol comes from. Default `plain`; the presets of those designs use `seed`. */
  wording?: 'plain' | 'seed';
  /** Language of generated prompts (BCP 47), if it differs from the screen's. */
  lang?: string;
  sections?: PromptSections;
  /** Sends examples that have a `say` as turns before the conversation. Default true. */
  exampleTurns?: boolean;
  /** The model guesses, and may ask at most two questions with a card. Default: true under `planning="threshold"`. */
  clarify?: boolean;
  /**
   * Estimated tokens of the tool list above which only names are sent, and details on demand. Default 6000, but at most half of the model's
   * context window if that is known. 0 = always send all.
   */
  toolTokens?: number;
}

/** A reaction to an error. Reactions are tried in order. */
export type Strategy = 'fail' | 'explain' | 'ask' | 'degrade' | 'disable' | { retry: number; baseMs?: number };
export type ErrorStrategies = Readonly<Partial<Record<ErrorType, readonly Strategy[]>>>;

/** The conditions under which a message is planned first. */
export interface PlanningOptions {
  /** A message with more characters (as users count them, not UTF-16 units) is worth a plan. Default 300. */
  minLength?: number;
  /** Words that each name a different goal. Default: common Chinese and English verbs, and the verbs of the tools. */
  verbs?: readonly string[];
  /** Number of different goals that make a message worth a plan. Default 2. */
  minVerbs?: number;
  /** Estimated tokens of the whole request, tools included, above which it is planned. Default: no limit. */
  maxCost?: number;
}

/** A cache of answers that the host provides. The key is derived from the request. */
export interface AnswerCache {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, answer: string): void | Promise<void>;
  /** Called by `clearCache()`. Without it, earlier answers are no longer looked up. */
  clear?(): void | Promise<void>;
}

export interface ComposerTemplate {
  label: string;
  /** The text; `{name}` is a placeholder. */
  text: string;
}

/** Prompt sections by protocol id, and under `composer` a list of message templates for the user. */
export type PromptTemplates = Readonly<Record<string, PromptSections | readonly ComposerTemplate[]>>;

/** Returns messages that the user may want to send next. */
export type Suggest = (now: ConversationSnapshot) => readonly string[] | Promise<readonly string[]>;

/** A rule that changes how text is displayed. */
export interface TextRule {
  /** A string is matched literally. Every match is replaced. */
  pattern: string | RegExp;
  /** With a regular expression, `$1`, `$<name>` and `$&` insert its matches. */
  replace: string;
  /** Roles of the messages that the rule applies to; `tool`: results of tools. Default: all. */
  targetRoles?: readonly ('user' | 'assistant' | 'tool' | 'system')[];
}

/**
 * A kind of private value: a built-in kind by its name (`email`, `phone`, `card`, `iban`, `ip`), or your own values under a name of 1 to 24
 * letters, digits or `_`. Your own values are given by a pattern, by a selector for texts and fields of the page, or literally. A pattern
 * that could take long is rejected.
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

/** Returns the texts and values of the page's elements that match a selector. Throws for an invalid selector. */
export type ReadPage = (selector: string) => readonly string[];
