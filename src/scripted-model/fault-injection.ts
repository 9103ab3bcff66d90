/** Faults on request (`/fault …`), to see by hand how a page handles a misbehaving model. */
import { dayAfter } from './parsed-prompt.js';
import type { ParsedPrompt } from './parsed-prompt.js';
import type { PlannedCall } from './protocol.js';
import { quoteCall } from './sentences.js';

/** The output of the model and how it ends. */
export interface Script {
  text: string;
  /** Calls after the text. */
  calls?: readonly PlannedCall[];
  /** `cut`: the stream closes without an end mark. `hang`: it stays open and silent. Default `stop`. */
  end?: 'stop' | 'cut' | 'hang';
  /** HTTP status of a refusal. The same request succeeds when it is repeated. */
  status?: number;
  /** Factor of the usual pause between chunks. Default 1. */
  slowness?: number;
  /** Characters per chunk. Default: the model's. */
  chunkSize?: number;
}

interface InjectedFault {
  zh: string;
  en: string;
  play(prompt: ParsedPrompt): Script;
}

export function injectFault(name: string, prompt: ParsedPrompt): Script {
  const fault = Object.hasOwn(injectedFaults, name) ? injectedFaults[name]! : injectedFaults['help']!;
  return fault.play(prompt);
}

/** Returns the text in the prompt's language, since `/fault cut` has none of its own. */
const words = (prompt: Pick<ParsedPrompt, 'promptInChinese'>, zh: string, en: string) => (prompt.promptInChinese ? zh : en);

function refusal(status: number): InjectedFault {
  return {
    zh: `上游回答 HTTP ${status}；重试就好了`,
    en: `the upstream answers HTTP ${status}; a retry succeeds`,
    play: (prompt) => ({
      status,
      text: words(prompt, `HTTP ${status} 已经过去了，现在一切正常。`, `HTTP ${status} is over, everything works again.`),
    }),
  };
}

const sample = (prompt: ParsedPrompt): PlannedCall =>
  prompt.tools.has('create_task')
    ? { name: 'create_task', arguments: { title: words(prompt, '不应该出现的任务', 'A task that should not appear') } }
    : { name: [...prompt.tools.keys()][0] ?? 'create_task', arguments: {} };

const write = (prompt: ParsedPrompt, call: PlannedCall) => prompt.protocol?.write([call]) ?? `(${call.name})`;

const injectedFaults: Readonly<Record<string, InjectedFault>> = {
  cut: {
    zh: '回答到一半，连接断了',
    en: 'the connection ends in mid-answer',
    play: (prompt) => ({
      end: 'cut',
      text: words(
        prompt,
        '这个回答本来还有后半句，但是连接会在这里断',
        'There was more to say in this answer, but the connection ends right he',
      ),
    }),
  },
  'cut-call': {
    zh: '调用写到一半，连接断了',
    en: 'the connection ends in the middle of a call',
    play(prompt) {
      const call = write(prompt, sample(prompt));
      return { end: 'cut', text: `${words(prompt, '好的。', 'Sure.')}\n\n${call.slice(0, Math.floor(call.length * 0.7))}` };
    },
  },
  hang: {
    zh: '说几个字就没有下文了',
    en: 'a few words, then silence',
    play: (prompt) => ({ end: 'hang', text: words(prompt, '让我想一想', 'Let me think') }),
  },
  slow: {
    zh: '说得非常慢',
    en: 'very slow tokens',
    play: (prompt) => ({
      slowness: 30,
      text: words(prompt, '我说得很慢，但是我会说完的，请随时按停止。', 'I am slow, but I will get there. Press stop whenever you like.'),
    }),
  },
  '401': refusal(401),
  '429': refusal(429),
  '500': refusal(500),
  '503': refusal(503),
  'broken-call': {
    zh: '写一个读不懂的调用，被指出后改正',
    en: 'a call that nobody can read, corrected when told',
    play(prompt) {
      const call = sample(prompt);
      const good = {
        ...call,
        arguments: { ...call.arguments, ...(call.arguments['title'] && { title: words(prompt, '改正后的任务', 'A corrected task') }) },
      };
      const [first, second] = prompt.outcomes;
      if (second) return { text: words(prompt, '改正以后，调用成功了。', 'Corrected, the call went through.') };
      if (first?.status === 'success') return { text: words(prompt, '完成了。', 'Done.') };
      if (first) return { text: words(prompt, '抱歉，我重新写一遍。', 'Sorry, let me write that again.'), calls: [good] };
      return { text: `${words(prompt, '好的。', 'Sure.')}\n\n${prompt.protocol?.writeBroken(call) ?? ''}` };
    },
  },
  'unknown-tool': {
    zh: '调用一个不存在的工具',
    en: 'a call of a tool that does not exist',
    play({ outcomes: [outcome], ...prompt }) {
      if (outcome)
        return { text: words(prompt, `原来没有这个工具：${outcome.message}`, `There is no such tool, I see: ${outcome.message}`) };
      return {
        text: words(prompt, '好的，点火！', 'Sure, ignition!'),
        calls: [{ name: 'launch_rocket', arguments: { destination: 'Mars' } }],
      };
    },
  },
  think: {
    zh: '思考里写了一个调用，它不该执行',
    en: 'a call inside its thoughts, which must not run',
    play: (prompt) => ({
      text: `<think>${words(prompt, '也许我应该这样做：', 'Maybe I should do this:')}\n${write(prompt, sample(prompt))}\n${words(prompt, '不，还是算了。', 'No, better not.')}</think>\n${words(prompt, '我想过了，什么也没有做。', 'I have thought about it and did nothing.')}`,
    }),
  },
  'fenced-call': {
    zh: '在代码块里举例，它不该执行',
    en: 'a call quoted in a code block, which must not run',
    play: (prompt) => ({
      text: `${words(prompt, '调用是这样写的：', 'This is how a call is written:')}\n\n${quoteCall(write(prompt, sample(prompt)))}\n\n${words(prompt, '这只是一个例子。', 'That was only an example.')}`,
    }),
  },
  long: {
    zh: '一万个词元的 Markdown',
    en: '10,000 tokens of Markdown',
    play: (prompt) => ({ text: longAnswer(prompt), chunkSize: 16, slowness: 0.2 }),
  },
  forever: {
    zh: '没完没了地重复同一个调用',
    en: 'the same call again and again',
    play: (prompt) => ({
      text: words(prompt, '再看一次。', 'Let me look once more.'),
      calls: [{ name: 'read_tasks', arguments: { view_context: `daily::${dayAfter(prompt, 0)}` } }],
    }),
  },
  help: {
    zh: '列出这些命令',
    en: 'lists these commands',
    play: (prompt) => ({
      text: Object.entries(injectedFaults)
        .map(([name, { zh, en }]) => `- \`/fault ${name}\`: ${words(prompt, zh, en)}`)
        .join('\n'),
    }),
  },
};

/** Returns about 40,000 characters: headings, paragraphs, lists, tables and code in turn. */
function longAnswer(prompt: ParsedPrompt): string {
  const paragraph = words(
    prompt,
    '这是一段很长的回答里的**一小段**，它有[链接](https://example.org)、`代码`和*强调*，用来看看页面在长回答里是否流畅。',
    'This is **one paragraph** of a long answer, with a [link](https://example.org), some `code` and *emphasis*, to see whether the page stays smooth while it grows.',
  );
  let text = `# ${words(prompt, '很长的回答', 'A long answer')}\n`;
  for (let section = 1; text.length < 40_000; section++) {
    text += `\n## ${section}\n\n${paragraph} ${paragraph}\n\n- ${section}.1 ${paragraph}\n- ${section}.2\n  - ${section}.2.1\n`;
    if (section % 2) text += `\n| n | n² |\n|---|---|\n${[1, 2, 3].map((n) => `| ${n * section} | ${(n * section) ** 2} |`).join('\n')}\n`;
    else text += `\n\`\`\`js\nfor (let n = 0; n < ${section}; n++) {\n  console.log(n);\n}\n\`\`\`\n`;
  }
  return text;
}
