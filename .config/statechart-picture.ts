/**
 * Statecharts as pictures for the documentation site: one column of boxes, nested as the states are, with what leads out of each written
 * into it, and at its side a line for each target. Narrow enough for a phone; colours are the site's own (`statechart` in `brand.css`).
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { charts, rowsOf } from './statechart-source.js';

const WIDTH = 360;
const PAD = 8;
const LINE = 16;
const HEAD = 24;
const GAP = 10;
const LANE = 9;
/** Of a letter at 12 px, on the safe side of what browsers measure. */
const LETTER = 6.3;
const COLOURS = 6;

export interface Picture {
  title: string;
  svg: string;
}

/** One for the chart, unless it is nothing but regions, and one more for each region that goes on at the same time as others. */
export function picturesOf(name: string, machine: AnyStateMachine): Picture[] {
  const regions: AnyStateNode[] = [];
  const collect = (node: AnyStateNode) => {
    for (const child of Object.values(node.states)) {
      if (node.type === 'parallel') regions.push(child);
      collect(child);
    }
  };
  collect(machine.root);
  return [...(machine.root.type === 'parallel' ? [] : [machine.root]), ...regions].map((node) => {
    const title = node === machine.root ? name : `${name}: ${node.key}`;
    return { title, svg: drawn(node, title) };
  });
}

/** Adds a picture above each Mermaid chart of a page (its name in `docs/`). The Mermaid text stays below it, folded, for screen readers. */
export function withPictures(page: string, source: string): string {
  return (charts[page] ?? []).reduce((text, [name, machine]) => {
    const place = new RegExp(`(<!-- statechart: ${name} -->)([^]*?)(<!-- /statechart: ${name} -->)`);
    if (!place.test(text)) throw new Error(`The page has no place for the statechart "${name}".`);
    const pictures = picturesOf(name, machine).map(({ title, svg }) => `**${title}**\n\n${svg}`);
    return text.replace(place, (_, start: string, mermaid: string, end: string) =>
      [start, ...pictures, `::: details ${name}, as text`, mermaid.trim(), ':::', end].join('\n\n'),
    );
  }, source);
}

interface Box {
  node: AnyStateNode;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
}
interface Exit {
  /** Where its line leaves the box. */
  x: number;
  y: number;
  target: AnyStateNode;
}

function drawn(root: AnyStateNode, title: string): string {
  const inside = new Set<AnyStateNode>();
  const enter = (node: AnyStateNode) => {
    if (node.type === 'parallel') return;
    for (const child of Object.values(node.states)) {
      inside.add(child);
      enter(child);
    }
  };
  enter(root);
  const targets = [...new Set([...inside].flatMap((node) => rowsOf(node).flatMap((row) => row.targets)))].filter((one) => inside.has(one));
  const colour = (target: AnyStateNode) => `c${targets.indexOf(target) % COLOURS}`;
  const column = WIDTH - targets.length * LANE - 12;
  const boxes = new Map<AnyStateNode, Box>();
  const exits: Exit[] = [];
  const words: string[] = [];

  function place(node: AnyStateNode, x: number, top: number, width: number, depth: number): number {
    const box: Box = { node, x, y: top, width, height: 0, depth };
    boxes.set(node, box);
    const first = node.parent?.initial?.target?.includes(node) ?? false;
    const left = x + PAD;
    let y = top + HEAD;
    if (first) words.push(`<circle class="dot" cx="${left + 4}" cy="${top + 13}" r="4"/>`);
    if (node.type === 'final') words.push(`<circle class="end" cx="${x + width - 12}" cy="${top + 13}" r="4.5"/>`);
    const does = node.invoke.map(({ id }) => ` ⚙ ${id}`).join('');
    words.push(text(left + (first ? 14 : 0), top + 17, node.key, 'name', does));
    for (const { event, guard, targets: to } of rowsOf(node)) {
      for (const line of wrapped(`${event}${guard && ` [${guard}]`}`, width - 2 * PAD)) {
        words.push(text(left, y + 11, line));
        y += LINE;
      }
      for (const target of to) {
        const near = inside.has(target);
        words.push(text(left + 12, y + 11, `→ ${near ? target.key : outside(target, root)}`, near ? colour(target) : 'away'));
        if (near) exits.push({ x: x + width, y: y + 7, target });
        y += LINE;
      }
      y += 3;
    }
    if (node.type === 'parallel') {
      for (const line of wrapped(`at the same time: ${Object.keys(node.states).join(', ')}`, width - 2 * PAD)) {
        words.push(text(left, y + 11, line, 'away'));
        y += LINE;
      }
    } else
      for (const child of Object.values(node.states)) {
        y = place(child, x + PAD, y + (child === Object.values(node.states)[0] ? 4 : GAP), width - 2 * PAD, depth + 1);
      }
    box.height = y + 6 - top;
    return top + box.height;
  }
  let bottom = 4;
  for (const child of Object.values(root.states)) bottom = place(child, 2, bottom, column, 0) + GAP;

  // Short lines lie inside of long ones.
  const lanes = targets
    .map((target) => {
      const box = boxes.get(target) as Box;
      const mine = exits.filter((one) => one.target === target);
      const ends = [box.y + 13, ...mine.map(({ y }) => y)];
      return { target, box, mine, top: Math.min(...ends), bottom: Math.max(...ends) };
    })
    .sort((one, other) => one.bottom - one.top - (other.bottom - other.top));
  const lines = lanes.map(({ target, box, mine, top, bottom: low }, at) => {
    const lane = column + 14 + at * LANE;
    const right = box.x + box.width;
    const into = box.y + 13;
    const out = mine.map(({ x, y }) => `M${x} ${y}H${lane}`).join('');
    return `<g class="${colour(target)}"><path d="${out}M${lane} ${top}V${low}M${lane} ${into}H${right + 5}"/><path class="tip" d="M${right} ${into}l7 -4v8z"/></g>`;
  });
  const frames = [...boxes.values()].map(
    ({ x, y, width, height, depth }) => `<rect class="d${depth % 2}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
  );
  return `<svg class="statechart" viewBox="0 0 ${WIDTH} ${bottom}" role="group" aria-label="${escaped(title)}">${frames.join('')}${lines.join('')}${words.join('')}</svg>`;
}

/** A state of another picture, by the region that it belongs to. */
function outside(target: AnyStateNode, root: AnyStateNode): string {
  const { parent } = target;
  return parent && parent !== root && parent.parent ? `${parent.key}: ${target.key}` : target.key;
}

/** Lines of whole words that fit. */
export function wrapped(words: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && (last.length + 1 + word.length) * LETTER <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function text(x: number, y: number, words: string, kind = '', more = ''): string {
  return `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${escaped(words)}${more && `<tspan class="does">${escaped(more)}</tspan>`}</text>`;
}
