/** Rendered text: code, formulas, sources, pictures. */

const CODE = `\`\`\`ts
// Closes what has been open for longer than a day.
export async function closeOld(tasks: Task[], now = Date.now()): Promise<number> {
  const old = tasks.filter(({ openedAt }) => now - openedAt > 86_400_000);
  await Promise.all(old.map((task) => api.patch(\`/tasks/\${task.id}\`, { done: true })));
  return old.length;
}
\`\`\`
`;
const OTHERS = `\`\`\`json
{ "done": true, "closedBy": "assistant", "count": 3 }
\`\`\`

\`\`\`diff
@@ -4,3 +4,3 @@
-  const day = 24 * 60 * 60;
+  const day = 86_400_000;
   return old.length;
\`\`\`
`;

const words = {
  en: {
    code: [
      'How do I close old tasks?',
      `This closes what is older than a day:\n\n${CODE}\nThe service answers with the number:\n\n${OTHERS}`,
    ],
  },
  zh: {
    code: ['怎样关闭旧任务？', `这段代码会关闭超过一天的任务：\n\n${CODE}\n服务会返回数量：\n\n${OTHERS}`],
  },
};

/** @param talk makes a conversation of what was asked and answered */
export function textStates(talk) {
  const state = (id, title) => ({ id, title, view: ({ lang }) => talk(...words[lang.startsWith('zh') ? 'zh' : 'en'][id]) });
  return [state('code', 'Text: code')];
}
