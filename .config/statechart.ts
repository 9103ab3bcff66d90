/**
 * Draws the production statecharts as Mermaid into docs/architecture.md, between the markers. `--check` only compares (npm test does).
 * Run: node --import tsx .config/statechart.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { conversationMachine } from '../src/conversation/chart/conversation-machine.js';
import { toolCallMachine } from '../src/conversation/chart/call-machine.js';
import { tabMachine } from '../src/conversation/keeping/tab-machine.js';

const file = new URL('../docs/architecture.md', import.meta.url);

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
    for (const transition of [...child.transitions.values()].flat().concat(child.always ?? [])) {
      const guard = transition.guard ? ` [${guardName(transition.guard)}]` : '';
      for (const target of transition.target ?? []) {
        if (target === child && transition.eventType === '') continue;
        lines.push(`  ${nameOf(child)} --> ${nameOf(target)} : ${eventName(transition.eventType)}${guard}`);
      }
    }
    drawTransitions(child, lines);
  }
}

function eventName(type: string): string {
  if (type === '') return 'at once';
  if (type.startsWith('xstate.done.actor.')) return `${type.split('.')[3] ?? ''} done`;
  if (type.startsWith('xstate.error.actor.')) return `${type.split('.')[3] ?? ''} failed`;
  if (type.startsWith('xstate.after.')) return `after ${type.split('.')[2] ?? ''}`;
  return type;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  const { type, guards, stateValue, name } = guard as { type?: string; guards?: unknown[]; stateValue?: string; name: string };
  if (type !== undefined) return type;
  // What `and`, `not` and `stateIn` of the library give.
  if (guards) return name === 'not' ? `not: ${guardName(guards[0])}` : guards.map(guardName).join(', ');
  return stateValue === undefined ? 'by its answer' : `in ${stateValue.replace('#', '')}`;
}

const before = readFileSync(file, 'utf8');
let after = before;
for (const [id, machine] of [
  ['conversation', conversationMachine],
  ['tool call', toolCallMachine],
  ['tab', tabMachine],
] as const) {
  const start = `<!-- statechart: ${id} -->`;
  const end = `<!-- /statechart: ${id} -->`;
  const [head, rest] = after.split(start);
  const tail = rest?.split(end)[1];
  if (tail === undefined) throw new Error(`docs/architecture.md has no place marked ${start} … ${end}`);
  after = `${head ?? ''}${start}\n\n\`\`\`mermaid\n${draw(machine)}\n\`\`\`\n\n${end}${tail}`;
}
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('The statecharts in docs/architecture.md are out of date: npm run statechart');
    process.exitCode = 1;
  }
} else if (after !== before) writeFileSync(file, after);
