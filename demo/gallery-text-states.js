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

const FORMULAS = String.raw`$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

\[
\sum_{k=0}^{n} \binom{n}{k} = 2^n \qquad \int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}
\]

$$
A = \begin{pmatrix} 1 & 0 \\ 0 & -1 \end{pmatrix}, \quad
f(x) = \begin{cases} x & \text{if } x \ge 0 \\ -x & \text{else} \end{cases}
$$
`;

const PICTURE = 'https://pictures.example/plan.png';

const words = {
  en: {
    code: [
      'How do I close old tasks?',
      `This closes what is older than a day:\n\n${CODE}\nThe service answers with the number:\n\n${OTHERS}`,
    ],
    formulas: [
      'How do I solve it?',
      `With $a \\neq 0$ and the discriminant $D = b^2 - 4ac$:\n\n${FORMULAS}\nThe book costs $5 more, $20 in all.`,
    ],
    sources: [
      'When does the office open?',
      `The office opens at **9:00** on weekdays[^hours] and stays closed on holidays[^law][^hours].\n\n[^hours]: https://office.example/hours\n[^law]: [Holidays Act](https://law.example/holidays), section 2`,
    ],
    images: [
      'Where is it?',
      `On the second floor, behind the stairs:\n\n![Plan of the second floor](${PICTURE})\n\nThe old one: ![an old plan](https://elsewhere.example/old.png)`,
    ],
  },
  zh: {
    code: ['怎样关闭旧任务？', `这段代码会关闭超过一天的任务：\n\n${CODE}\n服务会返回数量：\n\n${OTHERS}`],
    formulas: ['怎么解？', `设 $a \\neq 0$，判别式为 $D = b^2 - 4ac$：\n\n${FORMULAS}\n这本书要 $20。`],
    sources: [
      '办公室几点开门？',
      `办公室工作日 **9:00** 开门[^hours]，节假日不开放[^law][^hours]。\n\n[^hours]: https://office.example/hours\n[^law]: [节假日办法](https://law.example/holidays)第二条`,
    ],
    images: ['在哪里？', `在二楼，楼梯后面：\n\n![二楼平面图](${PICTURE})\n\n旧的一张：![旧平面图](https://elsewhere.example/old.png)`],
  },
};

/** @param talk makes a conversation of what was asked and answered */
export function textStates(talk) {
  const state = (id, title) => ({ id, title, view: ({ lang }) => talk(...words[lang.startsWith('zh') ? 'zh' : 'en'][id]) });
  return [
    state('code', 'Text: code'),
    state('formulas', 'Text: formulas'),
    state('sources', 'Text: sources'),
    state('images', 'Text: images, one of an origin that the page allows'),
  ];
}
