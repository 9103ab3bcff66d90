/** Writes examples as turns of a conversation, and detects calls that only copy one. */
import { addDays, fillDays, localDay } from '../base/days.js';
import { own } from '../base/objects.js';
import { exampleArguments } from '../protocols/example.js';
import type { MethodMetadata, ToolDescription, ToolProtocol } from '../protocols/protocol.js';
import { sortTools } from '../protocols/render-tool-docs.js';
import { promptTextsFor } from './prompt-texts.js';

export interface ExampleTurn {
  role: 'user' | 'assistant';
  text: string;
}

/** The maximum number of sentences that become turns; more would cost more than they teach. */
const MOST = 12;

/** The maximum number of sentences per tool. With only one, small models copy its values, too. */
const MOST_EACH = 2;

/**
 * Returns turns for the beginning of the messages: a user's sentence and the call that responds to it, up to two pairs for each tool that
 * has such sentences, and small talk without a call. The first example with an effect continues to its end, because small models that have
 * not seen how to respond to a result repeat its envelope. No query example does, because a model would use its result to answer a later
 * question. Empty if no tool has a sentence, or if the protocol cannot write calls.
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

/** Returns the arguments that a prompt may have taught for this method: its own examples and the generated one. */
export function taughtExamples(
  method: Pick<MethodMetadata, 'example' | 'parameters' | 'said'>,
  { lang, today }: { lang?: string | undefined; today: string },
): Record<string, unknown>[] {
  const said = (method.said ?? []).map(({ args }) => fillDays({ ...(args as Record<string, unknown>) }, today));
  return [exampleArguments(method, { lang, today }), ...said];
}

/**
 * Checks whether a call only copies an example of the prompt, which means that the user did not ask for it. Values are compared as texts,
 * because some protocols have no other type. Defaults of the schema do not count. An example without arguments never matches.
 *
 * @param method as `describeTools` returns it
 * @param args the arguments of the call, before or after validation
 * @param lang the language of the prompt
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
