/** The same realistic Markdown every time: headings, lists, code, tables, quotes, links. One token is 4 characters. */
export const TOKEN_CHARS = 4;

const WORDS =
  'the model returns a stream of tokens and page renders each block once while user scrolls back through earlier answers to compare results which were computed by tools that host application registered so latency stays low even when network is slow'.split(
    ' ',
  );

export function markdown(tokens, seed = 7) {
  const random = generator(seed);
  const upTo = (n) => Math.floor(random() * n);
  const word = () => WORDS[upTo(WORDS.length)];
  const many = (least, spread, make) => Array.from({ length: least + upTo(spread) }, (_, index) => make(index));
  const styled = () => {
    const x = random();
    const w = word();
    if (x < 0.04) return `**${w}**`;
    if (x < 0.07) return `\`${w}()\``;
    if (x < 0.09) return `*${w}*`;
    return x < 0.1 ? `[${w}](https://example.test/${w})` : w;
  };
  const sentence = (n) => `${Array.from({ length: n }, styled).join(' ')}.`;
  const paragraph = () => many(2, 4, () => sentence(8 + upTo(14))).join(' ');
  const blocks = [
    paragraph,
    paragraph,
    paragraph,
    () => many(4, 5, () => `- ${sentence(6 + upTo(8))}`).join('\n'),
    () => many(3, 4, (i) => `${i + 1}. ${sentence(6 + upTo(8))}\n   - ${sentence(5)}`).join('\n'),
    () => `\`\`\`ts\n${many(8, 20, (i) => `const ${word()}${i} = await ${word()}(${word()}, { ${word()}: ${i} });`).join('\n')}\n\`\`\``,
    () =>
      `| Name | Value | Note |\n| --- | ---: | --- |\n${many(4, 8, () => `| ${word()} | ${upTo(1000)} | ${word()} ${word()} |`).join('\n')}`,
    () => `> ${sentence(14)}`,
  ];
  let text = '';
  for (let i = 0; text.length < tokens * TOKEN_CHARS; i++) {
    if (i % 7 === 0) text += `## ${word()} ${word()} ${i}\n\n`;
    text += `${blocks[upTo(blocks.length)]()}\n\n`;
  }
  return text.slice(0, tokens * TOKEN_CHARS);
}

export function tokensOf(text) {
  return Array.from({ length: Math.ceil(text.length / TOKEN_CHARS) }, (_, i) => text.slice(i * TOKEN_CHARS, (i + 1) * TOKEN_CHARS));
}

function generator(seed) {
  let state = seed >>> 0;
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 4294967296;
}
