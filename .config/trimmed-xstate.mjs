/**
 * Leaves out of XState, for the scripts of a page, what no chart of ours uses: stored snapshots, history, routes, inspection, spawning,
 * serialising, and what its errors say about charts that are put together wrongly. It stands in classes and shared objects, where no bundler
 * may take it away. What is called all the same says so; the flows of `test/e2e` run with what is left, and a name that
 * is not there any more stops the build (`test/conversation/trimmed-xstate.node.test.ts`).
 */
import { parseAst } from 'rolldown/parseAst';

const each = (names, body) => Object.fromEntries(names.split(' ').map((name) => [name, body]));
/** Not called, or loudly. */
const unused = (names) => each(names, 'leftOut()');
/** Called, and without an effect for charts like ours. */
const idle = (names) => each(names, '');
/** Nothing has that name any more. */
const gone = (names) => each(names, undefined);

/** By file, without the sign of its version: what a function, or the member of a class or an object, does instead. */
const parts = {
  raise: {
    ...unused('getPersistedSnapshot persistContext machineSnapshotToJSON machineSnapshotGetMeta machineSnapshotCan'),
    ...unused('resolveStateValue resolveHistoryDefaultTransition system.inspect system._set'),
    ...idle('system.start sendInspectionEvent formatRouteTransitions'),
    ...gone('Actor.select Actor.attachDevTools Actor.toJSON Actor.getPersistedSnapshot system.getAll system.getSnapshot'),
  },
  StateMachine: {
    ...gone('StateNode.definition StateNode.toJSON StateNode.on StateNode.events StateNode.ownEvents'),
    ...gone('StateMachine.resolveState StateMachine.microstep StateMachine.definition StateMachine.toJSON'),
    ...unused('StateMachine.getPersistedSnapshot StateMachine.restoreSnapshot'),
  },
  assign: { createSpawner: 'return leftOut' },
  log: unused('log'),
  'xstate-actors': idle('fromTransition'),
};

const LEFT_OUT = `function leftOut() { throw new Error('This part of XState is left out: .config/trimmed-xstate.mjs'); }\n`;

/** @returns the file without these parts, or undefined where it has none */
export function trimmedXstate(file, code) {
  const [, name] = /\/xstate\/dist\/(xstate-\w+|\w+?)(?:-[\da-f]{8})?\.esm\.js$/.exec(file.replaceAll('\\', '/')) ?? [];
  const wanted = Object.hasOwn(parts, name ?? '') ? new Map(Object.entries(parts[name])) : undefined;
  if (!wanted) return undefined;
  const tree = parseAst(code);
  const changes = [];
  for (const { path, node, body } of named(tree)) {
    if (!wanted.has(path)) continue;
    const instead = wanted.get(path);
    changes.push(instead === undefined ? [node.start, withComma(code, node.end), ''] : [body.start, body.end, `{${instead}}`]);
    wanted.delete(path);
  }
  for (const message of messages(tree))
    if (
      !/\berr\b/.test(code.slice(message.start, message.end)) &&
      !changes.some(([start, end]) => start < message.start && message.end < end)
    )
      changes.push([message.start, message.end, "'XState'"]);
  if (wanted.size > 0) throw new Error(`XState has no ${[...wanted.keys()].join(', ')} any more: change .config/trimmed-xstate.mjs`);
  let result = code;
  for (const [start, end, text] of changes.sort(([a], [b]) => b - a)) result = result.slice(0, start) + text + result.slice(end);
  return result.includes('leftOut') ? result + LEFT_OUT : result;
}

const withComma = (code, at) => (code[at] === ',' ? at + 1 : at);

/** Functions, and members of what has a name. */
function* named(node, owner = '') {
  if (Array.isArray(node)) for (const one of node) yield* named(one, owner);
  if (typeof node?.type !== 'string') return;
  const name = node.id?.name ?? node.key?.name;
  const value = node.type === 'FunctionDeclaration' ? node : (node.init ?? node.value);
  const isMember = node.type === 'MethodDefinition' || node.type === 'Property';
  if (name !== undefined && value?.body && (!isMember || owner))
    yield { path: isMember ? `${owner}.${name}` : name, node, body: value.body };
  const inside = isMember ? '' : node.type === 'ClassDeclaration' || node.type === 'VariableDeclarator' ? name : owner;
  for (const child of Object.values(node)) if (typeof child === 'object') yield* named(child, inside);
}

/** What is wrong with a chart: its tests have shown that nothing is. */
function* messages(node) {
  if (Array.isArray(node)) for (const one of node) yield* messages(one);
  if (typeof node?.type !== 'string') return;
  if (node.type === 'ThrowStatement' && node.argument.callee?.name === 'Error' && node.argument.arguments[0])
    yield node.argument.arguments[0];
  for (const child of Object.values(node)) if (typeof child === 'object') yield* messages(child);
}
