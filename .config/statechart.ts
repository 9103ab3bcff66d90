/**
 * Draws the production statecharts as Mermaid into the pages of docs/, between the markers. `--check` only compares (npm test does).
 * Run: node --import tsx .config/statechart.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { charts, rowsOf } from './statechart-source.js';

const docs = new URL('../docs/', import.meta.url);

const nameOf = (node: AnyStateNode) => node.id.replaceAll(/[^\w]/g, '_');

function draw(machine: AnyStateMachine): string {
  const lines = ['stateDiagram-v2'];
  drawInside(machine.root, 1, lines);
  drawTransitions(machine.root, lines);
  return lines.join('\n');
}

function drawInside(node: AnyStateNode, depth: number, lines: string[]) {
  const indent = '  '.repeat(depth);
  const initial = node.initial?.target?.[0];
  if (initial) lines.push(`${indent}[*] --> ${nameOf(initial)}`);
  const children = Object.values(node.states);
  children.forEach((child, at) => {
    if (node.type === 'parallel' && at > 0) lines.push(`${indent}--`);
    const invoked = child.invoke.map((one) => ` ⚙ ${one.id}`).join('');
    lines.push(`${indent}state "${child.key}${invoked}" as ${nameOf(child)}${Object.keys(child.states).length > 0 ? ' {' : ''}`);
    if (Object.keys(child.states).length > 0) {
      drawInside(child, depth + 1, lines);
      lines.push(`${indent}}`);
    }
    if (child.type === 'final') lines.push(`${indent}${nameOf(child)} --> [*]`);
  });
}

function drawTransitions(node: AnyStateNode, lines: string[]) {
  for (const child of Object.values(node.states)) {
    for (const { event, guard, targets } of rowsOf(child))
      for (const target of targets) lines.push(`  ${nameOf(child)} --> ${nameOf(target)} : ${event}${guard && ` [${guard}]`}`);
    drawTransitions(child, lines);
  }
}

for (const [page, drawings] of Object.entries(charts)) {
  const file = new URL(page, docs);
  const before = readFileSync(file, 'utf8');
  let after = before;
  for (const [id, machine] of drawings) {
    const start = `<!-- statechart: ${id} -->`;
    const end = `<!-- /statechart: ${id} -->`;
    const [head, rest] = after.split(start);
    const tail = rest?.split(end)[1];
    if (tail === undefined) throw new Error(`docs/${page} has no place marked ${start} … ${end}`);
    after = `${head ?? ''}${start}\n\n\`\`\`mermaid\n${draw(machine)}\n\`\`\`\n\n${end}${tail}`;
  }
  if (after === before) continue;
  if (process.argv.includes('--check')) {
    console.error(`The statecharts in docs/${page} are out of date: npm run statechart`);
    process.exitCode = 1;
  } else writeFileSync(file, after);
}
