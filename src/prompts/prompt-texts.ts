/**
 * Sentences of the prompt that do not depend on the protocol. They are in the prompt's language, which may differ from the user
 * interface's.
 */
import { inPromptLanguage } from '../protocols/render-tool-docs.js';

/** The English sentences; the Chinese ones are in `chinese.ts`. */
export const englishPromptTexts = {
  locked: (tool: string) => `The user has chosen the tool ${tool}: call it once, and no other tool instead of it.`,
  confirm: (keywords: string) =>
    `Only one tool runs at a time. When you need another one, say what it will do, then stop and wait for the user. Go on only after the user has ${keywords ? `replied with a confirmation word (${keywords})` : 'agreed'}; after any other reply, do not.`,
  plan: 'Give a short plan first',
  planFormat:
    'This request is long or has several goals: begin the reply with a plan, as a JSON code block like the one below, then carry out its first step at once. No more than 20 steps; tool and input only where a step needs a tool; dependsOn lists the ids of the steps that have to be done first.\n```json\n{"task_plan": {"goal": "the goal", "steps": [{"id": "1", "title": "a step", "tool": "tool_name", "input": {}, "dependsOn": []}, {"id": "2", "title": "a step", "dependsOn": ["1"]}]}}\n```',
  clarify:
    'To ask, end the reply with a JSON code block that has what you will do by default, and at most two questions:\n```json\n{"clarify": {"default": "what you will do", "questions": [{"text": "a question", "options": ["one", "another"]}]}}\n```',
  guess:
    'Guess first, then ask: complete what the user means from the user’s profile and the context. If you really cannot tell, ask one or two questions that are easy to answer, with options and a default. Never reply with a bare request for more details.',
  list: ', ',
  smallTalk: [
    ['How does this work?', 'Just say what you want done, and I do it.'],
    ['Thanks!', 'You’re welcome!'],
  ] as [asked: string, answered: string][],
  /** An example result of an action, and the reply to it. */
  done: ['ok', 'That is done.'] as [result: string, answer: string],
  afterResults: 'Tell the user in one sentence what came of it. Do not repeat the block.',
  afterMistake: 'Correct the call and send it again; if you cannot, tell the user in one sentence why. Do not repeat the block.',
};

export type PromptTexts = typeof englishPromptTexts;

export function promptTextsFor(lang: string): PromptTexts {
  return inPromptLanguage(lang, englishPromptTexts);
}
