/**
 * The marks that chat templates of models put around reasoning, for all readers. Some templates write the beginning into the prompt; the
 * reply then has only the end.
 */
import { matchAny } from './scan.js';

/** Each row: the beginning and its ends, in lower case. The first end also counts where reasoning began in the prompt. */
const MARKS = `<think> </think> </thinking>
<thinking> </thinking> </think>
<thought> </thought>
<thoughts> </thoughts>
<reasoning> </reasoning>
<seed:think> </seed:think>
<mm:think> </mm:think>
<longcat_think> </longcat_think>
[think] [/think]
◁think▷ ◁/think▷
<|start_thinking|> <|end_thinking|>
<|begin_of_thought|> <|end_of_thought|>
<|inner_prefix|> <|inner_suffix|>
<|open|>think<|sep|> <|close|>think<|sep|>
<|channel>thought <channel|>
<|channel|>analysis<|message|> <|channel|>final<|message|> <|end|> <|return|> <|call|> <|start|> <|channel|>
<|start|>assistant<|channel|>analysis<|message|> <|start|>assistant<|channel|>final<|message|> <|end|> <|return|> <|call|>
<|channel|>analysis<|message|> <|end|><|start|>assistant<|channel|>final<|message|>`
  .split('\n')
  .map((row) => row.split(' '));

const BEGINNINGS = MARKS.map(([beginning]) => beginning!);
const ENDS = MARKS.map(([, end]) => end!);

/** The characters that these marks begin with. */
export const THOUGHT_STOPS = '<[◁';

/** Quickly checks whether a mark may begin with the character at `at`, as far as the text tells. */
export const mayBeThought = (text: string, at: number): boolean => '|tTrRsSmMlLc'.includes(text[at + (text[at + 1] === '/' ? 2 : 1)] ?? '');

/** Matches one of `marks` in any case, as `matchAny` does. */
export function matchThought(text: string, at: number, marks: readonly string[]): number {
  const end = matchAny(text.slice(at, at + 64).toLowerCase(), 0, marks);
  return end < 0 ? end : at + end;
}

export const matchThoughtStart = (text: string, at: number): number => matchThought(text, at, BEGINNINGS);
export const matchThoughtEnd = (text: string, at: number): number => matchThought(text, at, ENDS);

/** Returns the ends of the reasoning that began with this mark. */
export const endsOf = (beginning: string): readonly string[] => MARKS[BEGINNINGS.indexOf(beginning.toLowerCase())]!.slice(1);
