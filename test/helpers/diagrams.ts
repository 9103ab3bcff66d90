/** Two pictures drawn from `docs/concepts.md`, so that they say what the page says: its numbered steps of a turn, and its table of what is stored. */
import { readFile } from 'node:fs/promises';

const WIDTH = 640;
const LINE = 20;
/** Width of a letter at 14 px, on the safe side of what browsers measure. */
const LETTER = 7.6;

/** Each with the name of its file. */
export async function diagrams(): Promise<[name: string, svg: string][]> {
  const page = await readFile(new URL('../../docs/concepts.md', import.meta.url), 'utf8');
  const chapter = (title: string) => new RegExp(`^## ${title}$([^]*?)(?=^## |$(?![^]))`, 'm').exec(page)?.[1] ?? '';
  const steps = [...chapter('How a turn works').matchAll(/^\d+\. (.+)$/gm)].map(([, step = '']) => plain(step));
  const rows = [...chapter('What is stored where').matchAll(/^\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].slice(1);
  return [
    ['turn.svg', turn(steps)],
    [
      'stored.svg',
      stored(rows.flatMap(([, data = '', place = '', until = '']) => (/^-+$/.test(data) ? [] : [[data, place, until].map(plain)]))),
    ],
  ];
}

const plain = (text: string) => text.replaceAll(/[`_]|\[|\]\([^)]*\)/g, '');
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)!} ${word}`.trim();
    if (line.length * LETTER <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

const text = (lines: string[], x: number, y: number, kind = '') =>
  lines.map((line, at) => `<text x="${x}" y="${y + LINE * at}"${kind && ` class="${kind}"`}>${escaped(line)}</text>`).join('');
const box = (x: number, y: number, width: number, height: number) => `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`;

/** A column of steps; the last leads back to the second. */
function turn(steps: string[]): string {
  let y = 8;
  const middles: number[] = [];
  const drawn = steps.map((step, at) => {
    const lines = wrapped(step, WIDTH - 130);
    const height = lines.length * LINE + 16;
    const arrow = at > 0 ? `<path d="M300 ${y - 18}v12"/><path class="tip" d="M300 ${y}l-5-8h10z"/>` : '';
    const here = `${arrow}${box(8, y, WIDTH - 60, height)}<text x="24" y="${y + 24}" class="number">${at + 1}</text>${text(lines, 48, y + 24)}`;
    middles.push(y + height / 2);
    y += height + 18;
    return here;
  });
  const [from = 0, to = 0] = [middles.at(-1), middles[1]];
  const back = `<path d="M${WIDTH - 52} ${from}h30V${to}h-22"/><path class="tip" d="M${WIDTH - 52} ${to}l8-5v10z"/>`;
  return svg('How a turn works', y - 10, drawn.join('') + back);
}

/** One row for each kind of data: the place is a box, and how long it stays there is written below. */
function stored(rows: string[][]): string {
  let y = 8;
  const drawn = rows.map(([data = '', place = '', until = '']) => {
    const left = wrapped(data, 180);
    const right = wrapped(place, WIDTH - 290);
    const below = wrapped(/^\W*$/.test(until) ? 'for as long as you leave it there' : `until ${until}`, WIDTH - 290);
    const height = Math.max(left.length, right.length + below.length) * LINE + 16;
    const arrow = `<path d="M212 ${y + height / 2}h34"/><path class="tip" d="M256 ${y + height / 2}l-8-5v10z"/>`;
    const here = `${text(left, 8, y + 24, 'number')}${arrow}${box(258, y, WIDTH - 266, height)}${text(right, 272, y + 24)}${text(below, 272, y + 24 + right.length * LINE, 'soft')}`;
    y += height + 12;
    return here;
  });
  return svg('What is stored where', y - 4, drawn.join(''));
}

/** Colors of their own on a ground of their own: an image knows nothing of the page around it but whether the reader prefers dark. */
const svg = (
  title: string,
  height: number,
  content: string,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${title}">
<style>svg{background:#fff;border-radius:8px}text{font:14px system-ui,sans-serif;fill:#1b1b1f}.number{font-weight:600}.soft{fill:#5a5a66}rect{fill:#f4f4fb;stroke:#c9c9d6}path{fill:none;stroke:#4b4fd1;stroke-width:1.5}.tip{fill:#4b4fd1;stroke:none}@media (prefers-color-scheme:dark){svg{background:#1b1b1f}text{fill:#dfdfd6}.soft{fill:#a6a6b0}rect{fill:#25252b;stroke:#45454f}path{stroke:#a9acff}.tip{fill:#a9acff}}</style>
${content.replaceAll('><', '>\n<')}
</svg>
`;
