/** Detects whether the model asks something: then "yes" may answer that instead. Linear in the length of the text. */
import type { Call } from '../../model/calls.js';
import type { ChatMessage } from '../../model/messages.js';
import type { TaskPlan } from '../../model/plan.js';
import type { ConversationContext } from './chart-context.js';

type ConversationSlice = Pick<ConversationContext, 'messages' | 'parts' | 'calls'>;

/** Question marks of all scripts that have one, at the end or the beginning of a question. */
const MARK = /[?？؟﹖︖⁇⁈⁉‽⸮❓❔¿՞፧\u037e]/u;

/** The Greek question mark, which is usually typed as a semicolon, or a character reference, which may be any mark. */
const HIDDEN_MARK = /\p{Script=Greek}[^\p{L}\p{N}\s]{0,8};|&(?:#|quest;)/iu;

/** Boundaries of texts that may begin a question: sentences, clauses, table cells, link and image texts, groups of a formula. */
const CLAUSE = /[.!。！…;；:：\n,，、–—|{}$()[\]]+/u;

/** Spaces in formulas. */
const TEX_BLANK = /\\[ ,;:!]|~/g;

/** The end of a sentence, or of a line or cell that is one. */
const SENTENCE = /([.!。！…;；:：|\n]+)/u;

/** Openings of questions without a mark: “Shall I go on”, “Would the blue one do”. */
const BEGINS =
  /^[^\p{L}]*(?:do|does|did|is|are|am|was|were|shall|should|would|will|can|could|may|might|have|has|had)\s+(?:i|you|we|it|he|she|they|this|that|these|those|there|the|your|my|our|an?)\b/iu;

/** Openings of questions in German, French and Spanish, and those without a verb: “Want me to go on”, “Okay to go on”. */
const BEGINS_OTHERWISE =
  /^[^\p{L}]*(?:(?:want|okay|ok|ready|fine|alright|happy|care|fancy|mind)\s+(?:me|us|if|for|to)|(?:soll|sollen|darf|dürfen|kann|kannst|können|möchtest|möchten|willst|wollen|magst|ist|sind)\s+(?:ich|wir|du|ihr|sie|es|das|die|der|dies)|(?:dois|puis|peux|pouvez|veux|voulez|souhaites|souhaitez|faut|est)-(?:je|tu|vous|il|ce|on)|(?:quiere|quieres|desea|deseas|debo|puedo|prefieres?))(?!\p{L})/iu;

/** Questions without a mark in Chinese, Japanese and Arabic: 吗 at the end, 是否, 要不要, ますか, هل. */
const UNMARKED =
  /[吗嗎][^\p{L}\p{N}]*$|[是能可应要]否|(\p{Script=Han})[不没]\1|(?:ます|です|ません|でしょう|ましょう)か[^\p{L}\p{N}]*$|(?<!\p{L})هل(?!\p{L})/u;
const CONDITION = /\b(?:if|whether|when|unless)\b|如果|若|要是|的话|假如/iu;

/** Stems of words that tell the user to write something, in the supported languages. */
const TELLS =
  '(?<!\\p{L})(?:repl|respon|answer|typ|say|enter|writ|send|input|tell|antwort|schreib|tipp|sag|contest|escri|diga|répond|tap|écri|dites)\\p{L}*';
const TOLD = new RegExp(TELLS, 'u');
const TELLS_UNSPACED = /回复|回覆|回答|输入|发送|说|写|返信|入力|返答|答え|送信|اكتب|أجب|رد|قل|أرسل/u;

/** The only words of a sentence such as “Reply … to go on”. It is about the confirmation itself. */
const GOING_ON =
  /(?<!\p{L})(?:please|just|simply|now|you|can|may|repl(?:y|ying)|respond|answer|type|say|enter|write|send|by|with|the|word|here|below|or|and|to|go|on|ahead|proceed|bitte|antworten?|sie|mit|schreiben?|tippen?|um|fortzufahren|oder|por|favor|responda|responde|escriba|escribe|con|para|continuar|o|répond(?:ez|s)|tapez|écrivez|par|pour|continuer|ou)(?!\p{L})|请|回复|输入|回答|即可|以|来|或者?|返信|入力|して|ください|続ける|続行|する|には|と|か/gu;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * True if the text asks something: a sentence outside of code ends in a question mark, "yes" and "no" are offered, it is phrased as a
 * question, or it says when to answer with a confirmation word or what that does. When in doubt, it returns true: the user always has the
 * button.
 *
 * @param confirming the words that confirm, in lower case
 */
export function containsQuestion(text: string, confirming: readonly string[]): boolean {
  const prose = withoutCode(text);
  if (HIDDEN_MARK.test(prose)) return true;
  const words = prose.split(/\s+/).filter((word) => word !== '');
  if (words.some(ends)) return true;
  const bare = new Set(words.flatMap((word) => word.toLowerCase().split(/[^a-z]+/)));
  if (bare.has('yes') && bare.has('no')) return true;
  // Normal text may be marked as code, so this check includes code.
  const clauses = text.replace(TEX_BLANK, ' ').split(CLAUSE);
  return (
    clauses.some((clause) => BEGINS.test(clause) || BEGINS_OTHERWISE.test(clause) || UNMARKED.test(clause)) ||
    invites(text.trim().toLowerCase(), confirming)
  );
}

/**
 * True if the text is empty or only says which word to reply to go on. Any other sentence may be a question, in a language without a
 * question mark or in words that are unknown here.
 *
 * @param confirming the words that confirm, in lower case
 */
export function onlyInvitesConfirmation(text: string, confirming: readonly string[]): boolean {
  if (text.trim() === '') return true;
  const word = confirming.map(inSentence).join('|');
  if (word === '' || containsQuestion(text, confirming)) return false;
  const all = new RegExp(word, 'gu');
  const sentences = text.toLowerCase().split(/[.!。！\n]+/u);
  return sentences.every((sentence) => sentence.trim() === '' || (continuesAfter(sentence, all) && PLAIN.test(sentence)));
}

/** Verbs at the start of a step, in English and Chinese: plans are requested in these languages. */
const VERB =
  /^(?:(?:add|analy[sz]e|append|apply|archive|arrange|assign|attach|book|buy|calculate|call|cancel|change|check|clean|clear|close|collect|compare|compose|compute|configure|convert|copy|count|create|define|delete|deploy|describe|determine|display|download|draft|edit|email|e-mail|erase|execute|export|fetch|fill|filter|find|forward|gather|generate|get|identify|import|inform|insert|install|invite|list|load|look|mail|make|mark|merge|modify|monitor|move|notify|open|order|organi[sz]e|pay|plan|post|prepare|present|print|publish|query|read|record|remind|remove|rename|replace|reply|report|request|reserve|reset|research|restore|retrieve|review|run|save|schedule|search|select|send|set|share|show|sort|start|stop|store|submit|summari[sz]e|sync|tag|tell|test|translate|update|upload|use|validate|verify|view|write)(?!\p{L})|请?(?:添加|新增|创建|新建|建立|生成|制作|编写|撰写|起草|写入|删除|移除|清空|清理|更新|修改|编辑|重命名|标记|查询|查找|查看|搜索|搜集|收集|读取|获取|列出|打开|显示|比较|对比|分析|统计|计算|汇总|总结|归纳|整理|翻译|保存|导出|导入|上传|下载|发送|发布|通知|提醒|安排|预订|购买|下单|支付|付款|取消|关闭|检查|确定|选择|执行|运行|提交|移动|复制|归档))/iu;

/** Words that offer a choice or make a condition. */
const CHOICE = /(?<!\p{L})(?:or|either|if|whether|unless|not|yes|no)(?!\p{L})|或|还是|是否|与否|如果|要不/iu;

/**
 * Checks whether a line is clearly an instruction, such as “Delete the archive”. In another language a step may be a question that cannot
 * be recognized.
 */
const isStep = (line: string): boolean => {
  const text = line.trim().replace(/[.。]$/u, '');
  return PLAIN.test(text) && VERB.test(text) && !CHOICE.test(text);
};

/** Text without emoji, formulas or tables. */
const PLAIN = /^[\p{L}\p{N}\s"'“”„‚‘’«»「」『』*_`,，、:：-]*$/u;

/** Checks whether the text gives a confirmation word a purpose other than to go on. */
function invites(text: string, confirming: readonly string[]): boolean {
  const word = confirming.map(inSentence).join('|');
  if (word === '') return false;
  const [all, said] = [new RegExp(word, 'gu'), new RegExp(word, 'u')];
  const told = new RegExp(`${TELLS}(?:\\P{L}+\\p{L}+){0,2}?\\P{L}+(?:${word})|[^\\p{L}\\p{N}\\s](?:${word})[.!,]?[^\\p{L}\\p{N}\\s]`, 'u');
  const pieces = text.split(SENTENCE);
  for (let at = 0; at < pieces.length; at += 2) {
    const [sentence, end] = [pieces[at] ?? '', pieces[at + 1]];
    if (!said.test(sentence)) continue;
    const isWhole = end === undefined || /^[.!。！]/.test(end) || end.includes('\n\n');
    if (CONDITION.test(sentence)) return true;
    // A “yes” at the start of a sentence is the model's own answer.
    if (/(?<!\p{L})yes(?!\p{L})/u.test(sentence.replace(isWhole ? /^[^\p{L}]{0,8}yes(?:,|\s*$)/u : /^[^\p{L}]{0,8}yes,/u, ''))) {
      if (!isWhole || !continuesAfter(sentence, all)) return true;
    } else if ((told.test(sentence) || TELLS_UNSPACED.test(sentence)) && !(isWhole && continuesAfter(sentence, all))) return true;
  }
  return false;
}

const continuesAfter = (sentence: string, words: RegExp): boolean => {
  const rest = sentence.replace(words, ' ').replace(GOING_ON, ' ');
  return !/[\p{L}\p{N}]/u.test(rest) && (TOLD.test(sentence) || TELLS_UNSPACED.test(sentence));
};

function inSentence(word: string): string {
  const literal = word.replace(/[^\p{L}\p{N}\s]/gu, '\\$&');
  return UNSPACED.test(word) ? literal : `(?<!\\p{L})${literal}(?!\\p{L})`;
}

/** Checks whether a word ends with a question mark or contains one. The query of a URL does not count. */
function ends(word: string): boolean {
  const at = word.search(MARK);
  if (at < 0) return false;
  const address = word.indexOf('://');
  return address < 0 || address > at || MARK.test(word.slice(-1)) || /[?？][^\p{L}\p{N}]*$/u.test(word.slice(-8));
}

/** Removes fenced code with its lines, and inline code with its marks. Unclosed inline code stays. */
function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^[ \t]{0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '') {
      if (mark === '' || (mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`'))) kept.push(line);
      else fence = mark;
    } else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
  }
  return withoutInlineCode(kept.join('\n'));
}

function withoutInlineCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length, closes: -1 }));
  const next = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index]!;
    run.closes = next.get(run.length) ?? -1;
    next.set(run.length, index);
  }
  const kept: string[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const { at, closes } = runs[index]!;
    if (closes < 0) continue;
    kept.push(text.slice(from, at));
    from = runs[closes]!.at + runs[closes]!.length;
    index = closes;
  }
  return [...kept, text.slice(from)].join(' ');
}

/**
 * True if a “yes” might answer something other than our own question: a reply is still arriving, the assistant has written text of its own
 * since the user's message, a plan has a step that may be a question, or something else that it shows asks: its reasoning, the content of a
 * call, or a result.
 */
export function asksOtherQuestion({ messages, parts, calls }: ConversationSlice, confirming: readonly string[]): boolean {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const ids = new Set(since.map(({ id }) => id));
  const asks = (source: object | undefined, text: () => string): boolean =>
    source !== undefined && readOnce(source, () => containsQuestion(text(), confirming));
  const replyAsks = (message: ChatMessage): boolean =>
    message.status.type === 'running' ||
    readOnce(message, () => !onlyInvitesConfirmation(message.text, confirming) || containsQuestion(message.reasoning ?? '', confirming)) ||
    (parts[message.id] ?? []).some(
      (part) =>
        part.type === 'clarify' || (part.type === 'plan' && readOnce(part.plan, () => planAsks(linesOfPlan(part.plan), confirming))),
    );
  return (
    since.some((message) => message.role === 'assistant' && replyAsks(message)) ||
    calls.some(
      ({ messageId, call, result }) =>
        ids.has(messageId) &&
        (asks(call, () => (call ? cardLines(call) : []).join('\n')) || asks(result, () => [result?.message, result?.result].join('\n'))),
    )
  );
}

const planAsks = (lines: readonly string[], confirming: readonly string[]): boolean =>
  lines.some((line) => !isStep(line)) || containsQuestion(lines.join('\n'), confirming);

const linesOfPlan = ({ goal, steps }: TaskPlan): string[] => [goal, ...steps.map(({ title }) => title)];

/** Returns the texts on the card of a call. The card shows each value on a separate line. */
function cardLines({ label, sentence = '', args, preview }: Call): string[] {
  const lines = [label, sentence];
  JSON.stringify([args, preview], (_, value: unknown) => {
    if (typeof value === 'string') lines.push(value);
    return value;
  });
  return lines;
}

const known = new WeakMap<object, boolean>();

/** Caches the answer by source object: each view asks again, but the text is read once. */
function readOnce(source: object, read: () => boolean): boolean {
  const answer = known.get(source) ?? read();
  known.set(source, answer);
  return answer;
}
