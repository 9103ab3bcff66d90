/** The words by which a message names what it wants (S4-25). */

/** Each row is one goal, however it is written. */
const GOALS: readonly (readonly string[])[] = [
  ['比较', '对比', 'compare', 'contrast'],
  ['总结', '概括', '归纳', '汇总', 'summarise', 'summarize'],
  ['写成', '撰写', '起草', '写一', '写个', 'write', 'draft'],
  ['保存', '存到', '存为', 'save', 'store'],
  ['翻译', '译成', 'translate'],
  ['分析', 'analyse', 'analyze'],
  ['整理', 'organise', 'organize', 'sort'],
  ['搜索', '查找', '搜集', '收集', '调研', 'search', 'find', 'collect', 'gather'],
  ['发送', '发给', 'send'],
  ['计算', '统计', 'calculate'],
  ['制作', '生成', '画出', 'generate'],
  ['发布', 'publish'],
];

/** Endings that a verb keeps its meaning with. */
const ENDINGS = ['', 's', 'd', 'ed', 'ing', 'r'];

/** The goals that a text names, each once. @param verbs the host's, each a goal of its own; default: Chinese and English ones */
export function goalsIn(text: string, verbs?: readonly string[]): string[] {
  const rows = verbs?.map((verb) => [verb]) ?? GOALS;
  const lower = text.toLowerCase();
  const words = new Set(lower.match(/[\p{L}\p{M}]+/gu) ?? []);
  // Longest first: what is part of a longer verb of another row is not named by it.
  const all = rows.flatMap((row) => row.map((verb) => ({ goal: row[0] ?? '', verb: verb.trim().toLowerCase() })));
  const found = new Set<string>();
  let rest = lower;
  for (const { goal, verb } of all.filter((each) => each.verb !== '').sort((a, b) => b.verb.length - a.verb.length)) {
    if (isSpaced(verb) ? !hasWord(words, verb) && !(verb.includes(' ') && rest.includes(verb)) : !rest.includes(verb)) continue;
    found.add(goal);
    if (!isSpaced(verb)) rest = rest.replaceAll(verb, ' ');
  }
  return [...found];
}

/** Whether a script puts blanks between words. */
const isSpaced = (verb: string): boolean => !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(verb);

function hasWord(words: ReadonlySet<string>, verb: string): boolean {
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  return (
    words.has(verb) || ENDINGS.some((ending) => words.has(verb + ending)) || ['ed', 'ing', 'es'].some((ending) => words.has(stem + ending))
  );
}
