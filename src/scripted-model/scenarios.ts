/** Scenarios with a fixed sequence of calls, for demo pages whose tools are present. */
import { isChinese } from './intents.js';
import type { ParsedPrompt, ResultInPrompt } from './parsed-prompt.js';
import type { PlannedCall } from './protocol.js';
import type { Reply } from './scripted-request.js';

interface Scenario {
  /** Texts before each call, by its index. Optional. */
  words?: readonly string[];
  calls: readonly PlannedCall[];
  /** Returns the text after the last result. */
  done(outcomes: readonly ResultInPrompt[]): string;
}

const call = (name: string, args: Record<string, string> = {}): PlannedCall => ({ name, arguments: args });

/** Returns the next call of the requested scenario, or its end; undefined if the request is none. */
export function runScenario(asked: ParsedPrompt): Reply | undefined {
  // A failed call does not count if a fallback tool took over.
  const stoodIn = (at: number) => asked.outcomes[at]?.status === 'error' && asked.outcomes[at + 1]?.tool === 'searchArchive';
  const prompt = { ...asked, outcomes: asked.outcomes.filter((_, at) => !stoodIn(at)) };
  const zh = isChinese(prompt.request);
  const scenario =
    locked(prompt) ?? files(prompt, zh) ?? stats(prompt, zh) ?? calendar(prompt, zh) ?? shopping(prompt, zh) ?? research(prompt, zh);
  if (!scenario) return undefined;
  const { outcomes } = prompt;
  const failure = outcomes.find(({ status }) => status !== 'success');
  if (failure) {
    if (failure.status === 'denied') return { text: zh ? '好的，就停在这里。' : 'All right, I stop here.', calls: [] };
    return { text: zh ? `没有办完：${failure.message}` : `This could not be finished: ${failure.message}`, calls: [] };
  }
  const next = scenario.calls[outcomes.length];
  if (next && !prompt.tools.has(next.name))
    return { text: zh ? `这个页面没有 ${next.name} 工具。` : `This page has no tool ${next.name}.`, calls: [] };
  return next ? { text: scenario.words?.[outcomes.length] ?? '', calls: [next] } : { text: scenario.done(outcomes), calls: [] };
}

const lastMessage = (outcomes: readonly ResultInPrompt[]): string => outcomes.at(-1)?.message ?? '';

/** Statistics of all tasks. */
function stats({ tools, request }: ParsedPrompt, zh: boolean): Scenario | undefined {
  if (!tools.has('task_stats') || !/统计|多少个?任务|\bstatistics?\b|\bstats\b|\bhow many tasks\b/i.test(request)) return undefined;
  return { words: [zh ? '我来统计一下。' : 'Let me count.'], calls: [call('task_stats')], done: lastMessage };
}

/** A calendar file for the user. */
function calendar({ tools, request }: ParsedPrompt, zh: boolean): Scenario | undefined {
  if (!tools.has('export_calendar') || !/日历|\.ics\b|\bcalendar\b/i.test(request)) return undefined;
  return { words: [zh ? '我来准备日历文件。' : 'I prepare the file.'], calls: [call('export_calendar')], done: lastMessage };
}

/** Requests about the user's files. Paths and texts are in quotation marks. */
function files({ tools, request }: ParsedPrompt, zh: boolean): Scenario | undefined {
  if (!tools.has('list_directory')) return undefined;
  const quoted = [...request.matchAll(/[「“"]([^」”"]{1,500})[」”"]/g)].map(([, text]) => text!);
  const path = quoted.find((text) => text.startsWith('/'));
  const other = quoted.find((text) => text !== path);
  const firstValue = (outcomes: readonly ResultInPrompt[], key: string) => {
    const data = outcomes.at(-1)?.data as Record<string, unknown> | undefined;
    return data?.[key];
  };
  if (other !== undefined && /运行|执行|计算|\b(?:run|evaluate|calculate)\b/i.test(request))
    return {
      words: [zh ? '我在沙箱里运行它。' : 'I run it in the sandbox.'],
      calls: [call('browser_js_eval', { code: other })],
      done: (outcomes) => `${zh ? '结果是' : 'It gives'} \`${String(firstValue(outcomes, 'result'))}\`.`,
    };
  if (path !== undefined && other !== undefined && /写|保存|\b(?:write|save|put)\b/i.test(request))
    return { words: [zh ? '我来写入。' : 'I write it down.'], calls: [call('write_file', { path, content: other })], done: lastMessage };
  if (path !== undefined && /读|看|打开|\b(?:read|show|open)\b/i.test(request))
    return {
      words: [zh ? '我来读一下。' : 'Let me read it.'],
      calls: [call('read_file', { path })],
      done: (outcomes) => `${zh ? `「${path}」的内容：` : `In “${path}”:`}\n\n${String(firstValue(outcomes, 'content'))}`,
    };
  if (!/列|哪些文件|\blist\b|\bwhich files\b|\bwhat files\b/i.test(request)) return undefined;
  return {
    words: [zh ? '我看看有什么。' : 'Let me look.'],
    calls: [call('list_directory', { path: path ?? '/' })],
    done(outcomes) {
      const entries = firstValue(outcomes, 'entries');
      const lines = (Array.isArray(entries) ? entries : []).map(
        ({ name, kind }: { name: string; kind: string }) => `- \`${name}${kind === 'directory' ? '/' : ''}\``,
      );
      return lines.length > 0 ? lines.join('\n') : zh ? '这里没有文件。' : 'There are no files here.';
    },
  };
}

/** A purchase over three pages: add to the basket on one, view the basket on the next, order on the last. */
function shopping({ tools, request, outcomes }: ParsedPrompt, zh: boolean): Scenario | undefined {
  if (!tools.has('open_page')) return undefined;
  const match =
    /^(?:please\s+)?(?:buy|order|get)(?:\s+me)?\s+(?:(\d+|a|an|one|two|three|some)\s+)?(?:(?:packs?|boxes|bags?)\s+of\s+)?(.+?)(?:\s+(?:and|then)\s.*)?[.!]?$/i.exec(
      request,
    ) ??
    /^(?:请|帮我|我要)*(?:买|订购|下单)\s*(\d+|[一两二三])?\s*[盒包袋份个]?\s*(?:的)?([^，,。]+?)(?:[，,并然后].*)?[。]?$/.exec(request);
  if (!match) return undefined;
  const numbers: Record<string, string> = { two: '2', 两: '2', 二: '2', three: '3', 三: '3' };
  const said = match[1] ?? '1';
  const quantity = numbers[said] ?? (/^\d+$/.test(said) ? said : '1');
  const product = match[2]!.replace(/[「」“”"']/g, '').trim();
  // On a page without products, the scenario begins by opening the page that has them.
  const elsewhere = outcomes.length === 0 ? !tools.has('add_to_basket') : outcomes[0]?.tool === 'open_page';
  const shelves = elsewhere ? [call('open_page', { page: 'shelves' })] : [];
  const words = zh
    ? ['我放进购物篮。', '去看看购物篮。', '', '东西都在，去下单页面。', '最后一步，请你确认。']
    : ['Into the basket with it.', 'Now to the basket.', '', 'All there. On to the order page.', 'The last step is yours to confirm.'];
  return {
    words: elsewhere ? [zh ? '我先回到货架。' : 'Back to the shelves first.', ...words] : words,
    calls: [
      ...shelves,
      call('add_to_basket', { product, quantity }),
      call('open_page', { page: 'basket' }),
      call('read_basket'),
      call('open_page', { page: 'order' }),
      call('place_order'),
    ],
    done: (all) => (zh ? `办好了。${lastMessage(all)}` : `All done. ${lastMessage(all)}`),
  };
}

/** A call of the tool that the user chose for this message. */
function locked({ tools, locked: name, request }: ParsedPrompt): Scenario | undefined {
  const tool = name === undefined ? undefined : tools.get(name);
  if (!tool) return undefined;
  const args = tool.parameters.filter(({ required }) => required).map((parameter) => [parameter.name, topicOf(request)]);
  return { calls: [call(tool.name, Object.fromEntries(args) as Record<string, string>)], done: lastMessage };
}

/** Returns the quoted text, or else the request without the words around its topic. */
function topicOf(request: string): string {
  const quoted = /[「“"]([^」”"]{1,100})[」”"]/.exec(request);
  if (quoted) return quoted[1]!;
  const bare = request
    .split(/[,，;；]|并(?=总结|写|保存)|\band (?=summari|write|save)/i)[0]!
    .replace(/^(?:please |帮我|请)*/i, '')
    .replace(/^(?:compare|research|search(?: the web)?(?: for)?|look up|find out about|比较|研究|搜索|查一下|查找)\s*/i, '');
  return bare.replace(/[.。!！?？]+$/, '').trim() || request;
}

/** Searches, reads the results, and saves a note if a tool allows it; with a plan if the prompt asks for one. */
function research({ tools, request, outcomes, plans }: ParsedPrompt, zh: boolean): Scenario | undefined {
  if (
    !tools.has('webSearch') ||
    !/^(?:please |帮我|请)*(?:compare|research|search|look up|find out|比较|研究|搜索|查一下|查找)/i.test(request)
  )
    return undefined;
  const query = topicOf(request);
  const search = call('webSearch', { query });
  const results = pagesIn(outcomes[0]?.data);
  const saves = tools.has('write_note') && /note|save|write|笔记|保存|写/i.test(request);
  if (outcomes.length > 0 && results.length === 0)
    return {
      calls: [search],
      done: () =>
        zh
          ? `「${query}」没有结果。换一个关键词，比如“茶”？`
          : `Nothing was found for “${query}”. Shall I try another word, such as “tea”?`,
    };
  const listed = results.map(({ title, url }) => `- ${title} (${url})`).join('\n');
  if (!saves)
    return {
      words: [zh ? '我来搜索。' : 'I search for it.'],
      calls: [search],
      done: () => `${zh ? '找到这些：' : 'This is what I found:'}\n\n${listed}`,
    };

  const both = /compare|比较/i.test(request);
  const read = results.slice(0, both ? 2 : 1);
  const title = zh ? `关于${query}` : `About ${query}`;
  const body = read.map((one, n) => `${one.title}: ${outcomes[n + 1]?.message ?? ''}`).join('\n');
  const goals = zh
    ? ['搜索', '阅读第一页', '阅读第二页', '写成笔记']
    : ['Search', 'Read the first page', 'Read the second page', 'Write a note'];
  const names = ['webSearch', 'extractWebUrl', ...(both ? ['extractWebUrl'] : []), 'write_note'];
  const steps = names.map((tool, n) => ({
    id: String(n + 1),
    title: goals[tool === 'write_note' ? 3 : n],
    tool,
    dependsOn: n === 0 ? [] : [String(n)],
  }));
  const plan = `\n\n\`\`\`json\n${JSON.stringify({ task_plan: { goal: title, steps } }, null, 2)}\n\`\`\``;
  const first = zh ? '先列一个简短计划，然后开始搜索。' : 'A short plan first, then I begin to search.';
  return {
    // A confirmation word works for a call of a chain only if the reply has no other text.
    words: [plans ? plan.trimStart() : first],
    calls: [search, ...read.map(({ url }) => call('extractWebUrl', { url })), call('write_note', { title, body })],
    done: (all) => (zh ? `完成了，笔记已保存。\n\n${body || lastMessage(all)}` : `Done, the note is saved.\n\n${body || lastMessage(all)}`),
  };
}

function pagesIn(data: unknown): { title: string; url: string }[] {
  return (Array.isArray(data) ? data : []).flatMap((item: unknown) => {
    const { title, url } = (item ?? {}) as Record<string, unknown>;
    return typeof title === 'string' && typeof url === 'string' ? [{ title, url }] : [];
  });
}
