/**
 * Finds the goals that a message names, at most one per clause, by the verbs of the available tools and by common verbs. A verb in a
 * quotation, a verb used as a noun, and a question about something do not count.
 */

/** One goal per row, with its synonyms. Verbs from a tool's name, label and description join the row of its verb. */
const GOALS: readonly (readonly string[])[] = [
  ['compare', 'contrast', '比较', '对比'],
  ['summarise', 'summarize', 'recap', '总结', '概括', '归纳', '汇总'],
  ['write', 'draft', '写成', '撰写', '起草', '写一', '写个', '写封', '写份'],
  ['save', 'store', '保存', '存到', '存为', '存成'],
  ['translate', '翻译', '译成'],
  ['analyse', 'analyze', '分析'],
  ['organise', 'organize', 'sort', '整理'],
  ['search', 'find', 'look up', 'collect', 'gather', 'research', '搜索', '查找', '搜集', '收集', '调研', '搜一下', '查一下', '查询'],
  ['send', 'email', 'mail', 'forward', '发送', '发给', '发邮件', '发一封', '发封', '寄给', '转发'],
  ['calculate', 'compute', '计算', '统计', '算出', '算一下'],
  ['generate', '制作', '生成', '画出'],
  ['publish', '发布'],
  ['create', 'add', 'insert', '创建', '新建', '添加', '新增', '建立', '建一个', '加一个'],
  ['delete', 'remove', 'erase', '删除', '删掉', '移除', '清空'],
  ['update', 'change', 'edit', 'modify', 'rename', '更新', '修改', '改成', '改为', '重命名', '标记'],
  ['list', 'show', 'read', 'view', 'display', '列出', '显示', '查看', '看看', '读取', '打开'],
  ['book', 'reserve', 'order', 'buy', '预订', '订机票', '订酒店', '订票', '订一', '订个', '下单', '购买'],
  ['schedule', 'arrange', '安排', '排到'],
  ['notify', 'remind', 'tell', '通知', '提醒', '告诉'],
  ['cancel', '取消'],
  ['pay', '付款', '支付'],
];

/** A text longer than this is planned because of its length, so the rest is not searched. */
const MOST_CHARS = 2000;

/** Separators between two goals. Only fixed words and single characters, so the pattern cannot backtrack. */
const BETWEEN =
  /[,;.!?\n，。；！？、]|\b(?:and then|and|then|after that|afterwards|finally|also|plus|as well as)\b|然后|接着|随后|之后|以后|并且|同时|最后|顺便|另外|还要|以及|再|并/giu;

/** Quoted text is mentioned, not requested. */
const QUOTED = /“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|‘[^’\n]*’|"[^"\n]*"|`[^`\n]*`/g;

/** Words that may precede the verb of a request. */
const FILLERS = new Set(
  (
    "please can could would will you i we want need like to help me us let lets let’s let's just now first next kindly go ahead try and then i’d " +
    "i'd also so ok okay hey hi so"
  ).split(' '),
);

/** A question about something asks for an answer, not for an action. */
const ASKS = /^\s*(?:where|what|which|who|whom|whose|why|when|how|is|are|was|were|do|does|did|has|have|should|may)\b/i;
const ASKS_ZH = /(?:吗|呢)\s*$|怎么|怎样|哪里|哪儿|哪个|什么|为什么|为何|多少|是不是|有没有|如何/;
const WISHES_ZH = /^\s*(?:请|麻烦|帮|能不能|能否|可以|可不可以|能帮)/;

/** Matches "want/need X done": `I want it translated`. */
const WANTED = /\b(?:want|need|have|get|like)\b/i;

const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The texts of a tool that say what it does. */
export interface NamedTool {
  name: string;
  label?: string | undefined;
  description: string;
}

/**
 * Returns the goals that a text names, each once.
 * @param verbs the host's list: each is a separate goal, wherever in the text it is found; without it, goals are found clause by clause
 * @param tools the tools that can be called now
 */
export function goalsIn(text: string, verbs?: readonly string[], tools: readonly NamedTool[] = []): string[] {
  if (verbs) return namedIn(text, verbs);
  const known = vocabulary(tools);
  const found = new Set<string>();
  for (const clause of clausesOf(text)) {
    const goal = HAN.test(clause) ? goalOfHan(clause, known) : goalOfLatin(clause, known);
    if (goal !== undefined) found.add(goal);
  }
  return [...found];
}

/**
 * Splits a text into clauses and drops quotations and questions. The split keeps the question mark, so that a question can be recognized.
 */
function clausesOf(text: string): string[] {
  return text
    .slice(0, MOST_CHARS)
    .replace(QUOTED, ' ')
    .split(/(?<=[?？])/)
    .flatMap((sentence) => {
      const isQuestion = /[?？]$/.test(sentence);
      if (isQuestion && (ASKS.test(sentence) || (ASKS_ZH.test(sentence.slice(0, -1)) && !WISHES_ZH.test(sentence)))) return [];
      return sentence.split(BETWEEN);
    })
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '' && !ASKS.test(clause) && (!ASKS_ZH.test(clause) || WISHES_ZH.test(clause)));
}

type Vocabulary = ReadonlyMap<string, string>;

/** Maps each word to its goal. */
function vocabulary(tools: readonly NamedTool[]): Vocabulary {
  const known = new Map(GOALS.flatMap((row) => row.map((word) => [word, row[0]!] as const)));
  for (const tool of tools) {
    const words = verbsOf(tool);
    const goal = words.map((word) => known.get(word)).find((row) => row !== undefined) ?? words[0];
    if (goal !== undefined) for (const word of words) if (!known.has(word)) known.set(word, goal);
  }
  return known;
}

/** Returns the verbs that a tool's name, label and description begin with: `create_task`, `Create task`, `Creates a task.`, `创建任务`. */
function verbsOf({ name, label = '', description }: NamedTool): string[] {
  const first = name.replace(/([a-z])([A-Z])/g, '$1_$2').split(/[_-]+/)[0] ?? '';
  const words = [first, ...[label, description].map((text) => /^\s*([\p{L}’']+)/u.exec(text)?.[1] ?? '')].flatMap((word) => {
    if (!HAN.test(word)) return [stemOf(word.toLowerCase())];
    // Most Chinese verbs have two characters. A word that begins with a preposition or a number is not a verb.
    return /^[把将给在从为按以用对一]/.test(word) ? [] : [[...word].slice(0, 2).join('')];
  });
  return [...new Set(words)].filter((word) => (HAN.test(word) ? word.length > 1 : word.length > 2) && !NO_VERBS.has(word));
}

const NO_VERBS = new Set(['the', 'this', 'get', 'set', 'run', 'use', 'for', 'all', 'new', 'task', 'tool', 'can', 'one', 'when', 'with']);

/** Removes the third-person ending: `creates` becomes `create`, `sends` becomes `send`. */
const stemOf = (word: string): string =>
  word.length > 4 && /(?:ches|shes|sses|xes|zes)$/.test(word)
    ? word.slice(0, -2)
    : word.length > 3 && /[^s]s$/.test(word)
      ? word.slice(0, -1)
      : word;

function goalOfLatin(clause: string, known: Vocabulary): string | undefined {
  const words = clause.toLowerCase().match(/[\p{L}’']+/gu) ?? [];
  const start = words.findIndex((word) => !FILLERS.has(word));
  if (start < 0) return undefined;
  const [head = '', next = ''] = words.slice(start);
  const goal = known.get(`${head} ${next}`) ?? goalOfWord(head, known);
  if (goal !== undefined || !WANTED.test(clause)) return goal;
  return words.flatMap((word) => (word.endsWith('ed') ? (goalOfWord(word, known) ?? []) : []))[0];
}

/** Returns the goal of a word in any verb form. */
function goalOfWord(word: string, known: Vocabulary): string | undefined {
  const stems = [
    word,
    ...['ing', 'ed', 'd', 's', 'es'].flatMap((ending) => (word.endsWith(ending) ? [word.slice(0, -ending.length)] : [])),
  ];
  for (const stem of stems) {
    const goal = known.get(stem) ?? known.get(`${stem}e`) ?? (/(.)\1$/.test(stem) ? known.get(stem.slice(0, -1)) : undefined);
    if (goal !== undefined) return goal;
  }
  return undefined;
}

/** Returns the goal of the first verb in the clause. If several begin at the same position, the longest counts. */
function goalOfHan(clause: string, known: Vocabulary): string | undefined {
  let best: { at: number; word: string; goal: string } | undefined;
  for (const [word, goal] of known) {
    if (!HAN.test(word)) continue;
    const at = clause.indexOf(word);
    if (at >= 0 && (!best || at < best.at || (at === best.at && word.length > best.word.length))) best = { at, word, goal };
  }
  return best?.goal;
}

/**
 * Returns the host's verbs that the text contains. In Chinese and similar scripts, a verb that is only part of a longer match does not
 * count.
 */
function namedIn(text: string, verbs: readonly string[]): string[] {
  const lower = text.toLowerCase();
  const words = new Set(lower.match(/[\p{L}\p{M}]+/gu) ?? []);
  const all = verbs.map((verb) => verb.trim().toLowerCase()).filter(Boolean);
  const found = new Set<string>();
  let rest = lower;
  for (const verb of all.sort((a, b) => b.length - a.length)) {
    if (HAN.test(verb) ? !rest.includes(verb) : !hasWord(words, verb) && !(verb.includes(' ') && rest.includes(verb))) continue;
    found.add(verb);
    if (HAN.test(verb)) rest = rest.replaceAll(verb, ' ');
  }
  return [...found];
}

/** Verb endings that do not change the goal. */
const ENDINGS = ['', 's', 'd', 'ed', 'ing', 'r'];

function hasWord(words: ReadonlySet<string>, verb: string): boolean {
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  return ENDINGS.some((ending) => words.has(verb + ending)) || ['ed', 'ing', 'es'].some((ending) => words.has(stem + ending));
}
