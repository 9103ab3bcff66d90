import { expect } from 'chai';
import fc from 'fast-check';
import { createMarkdownRenderer, renderMarkdown } from '../../src/markdown/markdown.js';
import { render } from './serialize.js';

/** Renders `pieces`, with a flush after each. */
function stream(pieces: Iterable<string>): HTMLElement {
  const target = document.createElement('div');
  const renderer = createMarkdownRenderer(target);
  for (const piece of pieces) {
    renderer.push(piece);
    renderer.flush();
  }
  renderer.end();
  return target;
}

/** `text` cut at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...at, text.length].map((end, i) => text.slice(i === 0 ? 0 : at[i - 1], end));
}

// Markdown in which every construct meets every other one.
const fragment = fc.constantFrom(
  ...['a', 'b c', ' ', '  ', '\n', '\n\n', '\r\n', '\t', '    ', '> ', '- ', '* ', '1. ', '2) ', '# ', '#', '---', '===', '***', '```', '~~~', '`', '``'],
  ...['*', '**', '_', '__', '~', '~~', '[', ']', '](', '](/u)', ')', '[x]', '[ ] ', '[x] ', '[x]: /u', '[x]: https://x.test "t"\n', '![', '<', '>'],
  ...['<b>', '<!--', '-->', '<https://a.test>', 'https://a.test/x_y', 'www.a.test', '&amp;', '&', ';', '&#65;', '\\', '|', '|-|-|', '| a | b |\n|---|---|\n'],
  ...['| c | d |\n', '中文', '。', '“', '😀', '\u200b', '\u202e', '\0', '"', "'", '(', '!', ':', '.', '  \n', '\\\n', '<a href="', '">'],
);
// Few kinds and many blanks: what a blank comes after is taken for final unless something is still open.
const inline = fc.constantFrom(
  ...['a ', ' b c ', 'd', '`', '``', '*', '**', '_', '~~', '[', ']', '](/u "t v")', '](<', '[x]', '<!-- ', '-->', '<b c="', '">', '<?', '\n', '!'],
);
const markdown = fc.oneof(fc.array(fragment, { maxLength: 40 }), fc.array(inline, { maxLength: 30 })).map((parts) => parts.join(''));

describe('streamed Markdown', () => {
  it('ends the same however it is cut', () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
        expect(stream(cut(text, places)).innerHTML).to.equal(render(text).innerHTML);
      }),
      { numRuns: 3_000 },
    );
  });

  it('ends the same when it comes one unit at a time', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        expect(stream(text.split('')).innerHTML).to.equal(render(text).innerHTML);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps its text as it was pushed', () => {
    const renderer = createMarkdownRenderer(document.createElement('div'));
    for (const piece of ['a\r', '\nb', '\0']) renderer.push(piece);
    expect(renderer.text).to.equal('a\r\nb\0');
    renderer.end();
    expect(renderer.text).to.equal('a\r\nb\0');
    void renderMarkdown;
  });
});
