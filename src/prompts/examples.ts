/** Worked examples as turns of a conversation, and telling a call that only recites one. */
import { addDays, fillDays, localDay } from '../days.js';
import { own } from '../objects.js';
import { exampleArguments } from '../protocols/example.js';
import type { MethodMetadata, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import { sortTools } from '../protocols/tool-prompt.js';
import { promptTextsFor } from './prompt-texts.js';

export interface ExampleTurn {
  role: 'user' | 'assistant';
  text: string;
}

/** Tools whose first sentence becomes a turn: more would cost more than they teach. */
const MOST = 12;

/**
 * For the beginning of the messages: what a person may say and the call that answers it, one pair a tool that has such a sentence, and one pair
 * of small talk without a call. The first tool that looks something up and the first that does something are followed to their end: without having
 * seen how a result is answered, small models repeat its envelope. Empty where no tool has one, or the protocol cannot write calls.
 */
export function exampleTurns(
  protocol: Pick<ToolProtocol, 'writeCall' | 'formatToolResults'>,
  tools: readonly ToolDescription[],
  { lang, today = localDay() }: { lang: string; today?: string | undefined },
): ExampleTurn[] {
  const { writeCall } = protocol;
  if (!writeCall) return [];
  const methods = sortTools(tools).flatMap((tool) => tool.methods);
  const said = methods
    .flatMap(({ name, risk, said: [first] = [] }) => (first ? [{ name, risk, ...fillDays(first, today) }] : []))
    .slice(0, MOST);
  if (said.length === 0) return [];
  const { smallTalk, found, done, afterResults } = promptTextsFor(lang);
  const [thanks, welcome] = smallTalk;
  const [look, act] = [said.find(({ risk }) => risk === 'query'), said.find(({ risk }) => risk !== 'query')];
  const endOf = (name: string, [result, answer]: [result: string, answer: string]): ExampleTurn[] => [
    {
      role: 'user',
      text: `${protocol.formatToolResults([{ requestId: 'call_1', toolName: name, status: 'success', result }])}\n\n${afterResults}`,
    },
    { role: 'assistant', text: answer },
  ];
  return [
    ...said.flatMap((one): ExampleTurn[] => [
      { role: 'user', text: one.say },
      { role: 'assistant', text: writeCall(one.name, one.args as Record<string, unknown>) },
      ...(one === look ? endOf(one.name, found) : one === act ? endOf(one.name, done) : []),
    ]),
    { role: 'user', text: thanks },
    { role: 'assistant', text: welcome },
  ];
}

/** What a prompt may have taught of this method, as arguments: its own examples, else the one that is made up. */
export function taughtExamples(
  method: Pick<MethodMetadata, 'example' | 'parameters' | 'said'>,
  { lang, today }: { lang?: string | undefined; today: string },
): Record<string, unknown>[] {
  const said = (method.said ?? []).map(({ args }) => fillDays({ ...(args as Record<string, unknown>) }, today));
  return [exampleArguments(method, { lang, today }), ...said];
}

/**
 * Whether a call only recites an example of the prompt, which is no sign that anybody wants it. Values are compared as texts, for some
 * notations know nothing else; what the schema fills in by itself does not count; an example without arguments says nothing.
 *
 * @param method as `describeTools` gives it
 * @param args of the call, before or after they were validated
 * @param lang of the prompt
 */
export function isTaughtExample(
  method: Pick<MethodMetadata, 'example' | 'parameters' | 'said'>,
  args: Readonly<Record<string, unknown>>,
  lang?: string,
  today = localDay(),
): boolean {
  // The prompt may have been written before midnight.
  const taught = [today, addDays(today, -1)].flatMap((day) => taughtExamples(method, { lang, today: day }));
  return taught.some((example) => {
    const keys = Object.keys(example);
    const more = Object.keys(args).filter((key) => !Object.hasOwn(example, key));
    return (
      keys.length > 0 &&
      keys.every((key) => Object.hasOwn(args, key) && asText(args[key]) === asText(example[key])) &&
      more.every((key) => isDefault(method.parameters, key, args[key]))
    );
  });
}

function isDefault(schema: unknown, key: string, value: unknown): boolean {
  const standard = own(own(own(schema, 'properties'), key), 'default');
  return value === undefined || (standard !== undefined && asText(standard) === asText(value));
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).trim();
