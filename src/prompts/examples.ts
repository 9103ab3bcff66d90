/** Worked examples as turns of a conversation, and telling a call that only recites one. */
import { addDays, fillDays, localDay } from '../base/days.js';
import { own } from '../base/objects.js';
import { exampleArguments } from '../protocols/example.js';
import type { MethodMetadata, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import { sortTools } from '../protocols/describe-parameters.js';
import { promptTextsFor } from './prompt-texts.js';

export interface ExampleTurn {
  role: 'user' | 'assistant';
  text: string;
}

/** Sentences that become turns: more would cost more than they teach. */
const MOST = 12;

/** Of one tool. With a single one, small models take over its values, too. */
const MOST_EACH = 2;

/**
 * For the beginning of the messages: what a person may say and the call that answers it, up to two pairs for each tool that has such sentences,
 * and small talk without a call. The first that does something is followed to its end: without having seen how a result is answered, small models
 * repeat its envelope. None is that looks something up: what an example found is taken for the answer to a later question. Empty where no tool
 * has a sentence, or the protocol cannot write calls.
 */
export function exampleTurns(
  protocol: Pick<ToolProtocol, 'writeCall' | 'formatToolResults'>,
  tools: readonly ToolDescription[],
  { lang, today = localDay() }: { lang: string; today?: string | undefined },
): ExampleTurn[] {
  const { writeCall } = protocol;
  if (!writeCall) return [];
  const methods = sortTools(tools).flatMap((tool) => tool.methods);
  const nth = (at: number) =>
    methods.flatMap(({ name, risk, said = [] }) => (said[at] ? [{ name, risk, ...fillDays(said[at], today) }] : []));
  const said = Array.from({ length: MOST_EACH }, (_, at) => nth(at))
    .flat()
    .slice(0, MOST);
  if (said.length === 0) return [];
  const pair = (asked: string, answered: string): ExampleTurn[] => [
    { role: 'user', text: asked },
    { role: 'assistant', text: answered },
  ];
  const { smallTalk, done, afterResults } = promptTextsFor(lang);
  const act = said.find(({ risk }) => risk !== 'query');
  const endOf = (toolName: string) => {
    const told = protocol.formatToolResults([{ requestId: 'call_1', toolName, status: 'success', result: done[0] }]);
    return pair(`${told}\n\n${afterResults}`, done[1]);
  };
  return [
    ...said.flatMap((each) => [
      ...pair(each.say, writeCall(each.name, each.args as Record<string, unknown>)),
      ...(each === act ? endOf(each.name) : []),
    ]),
    ...smallTalk.flatMap(([asked, answered]) => pair(asked, answered)),
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
