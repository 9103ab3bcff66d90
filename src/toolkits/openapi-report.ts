/**
 * Reports what was left out of a document or relaxed, by operation and reason: briefly in one warning for the host, in full for the
 * inspector.
 */
import type { LoadReport } from '../tools/load-report.js';
import type { SkippedOperation, ReadOperation } from './openapi-operations.js';
import type { RelaxedPart } from './openapi-shape.js';

/** Maximum number of operations and arguments named in a warning. */
const NAMED = 5;

const REASONS: Record<SkippedOperation['why'], string> = {
  body: 'their body is neither JSON nor a form',
  cookie: 'they need a cookie, which only the browser sets',
  file: 'they need a file',
  get: 'they send a body with GET, which browsers do not',
  many: 'more than 5,000 are never read (`filter` says which)',
  outside: 'their path leads out of the address of the service',
  override: 'their address would turn them into another request',
  size: 'they are described at too great a length',
  style: 'their parameters are written in a way that is not supported',
  twice: 'another operation has their `operationId`',
};

const RELAXED: Record<RelaxedPart['why'], string> = {
  file: 'files, which no tool sends,',
  get: 'bodies with GET, which browsers do not send,',
  limit: 'limits that no value meets',
  pattern: 'patterns that no browser reads, or that take too long,',
  type: 'types that JSON does not have, or that no listed value has,',
};

const ELSEWHERE = 'they answer at another origin';

type Named = Pick<SkippedOperation, 'method' | 'path'>;

const nameOf = ({ method, path }: Named): string => `${method} ${path}`;

function listed(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ', …' : ''}`;
}

const ofSome = (count: number): string => `${String(count)} operation${count === 1 ? '' : 's'}`;

const namesByReason = (leftOut: readonly SkippedOperation[]) =>
  (Object.keys(REASONS) as SkippedOperation['why'][]).flatMap((why) => {
    const names = leftOut.filter((one) => one.why === why).map(nameOf);
    return names.length === 0 ? [] : [{ why: REASONS[why], names }];
  });

function skippedText(leftOut: readonly SkippedOperation[], elsewhere: readonly Named[]): string {
  const groups = namesByReason(leftOut).map(({ why, names }) => `${String(names.length)} because ${why} (${listed(names)})`);
  if (elsewhere.length > 0) groups.push(`${String(elsewhere.length)} because ${ELSEWHERE}`);
  return groups.length > 0 ? `openApiTools() left out operations: ${groups.join('; ')}.` : '';
}

const partsByReason = (operations: readonly ReadOperation[]) =>
  (Object.keys(RELAXED) as RelaxedPart['why'][]).flatMap((why) => {
    const found = operations.flatMap((operation) => {
      const paths = new Set(operation.relaxed.filter((part) => part.why === why).map(({ path }) => path));
      return paths.size === 0 ? [] : [{ paths: [...paths], name: nameOf(operation) }];
    });
    return found.length === 0 ? [] : [{ why: RELAXED[why], found }];
  });

function relaxedText(operations: readonly ReadOperation[]): string {
  const groups = partsByReason(operations).map(({ why, found }) => {
    const parts = found.slice(0, NAMED + 1).map(({ paths, name }) => `${listed(paths)} (${name})`);
    return `${why} left out of ${ofSome(found.length)}: ${listed(parts)}`;
  });
  return groups.length > 0 ? `openApiTools() asks for less than the document: ${groups.join('; ')}.` : '';
}

/** @param given names of the headers that `auth` provides, in lower case; `undefined` if they are only known at call time */
function keysText(operations: readonly ReadOperation[], given: ReadonlySet<string> | undefined): string {
  if (!given || given.has('authorization')) return '';
  const found = new Map<string, string[]>();
  for (const operation of operations)
    for (const { name, isRequired } of operation.keys)
      if (isRequired && !given.has(name.toLowerCase()))
        found.set(name, [...(found.get(name) ?? []), nameOf(operation)].slice(0, NAMED + 1));
  const keys = [...found].map(([name, names]) => `${name} (${listed(names)})`);
  return keys.length > 0 ? `openApiTools() asks no model for keys that \`auth\` has to give: ${keys.slice(0, 20).join('; ')}.` : '';
}

function namesText(operations: readonly ReadOperation[]): string {
  const found = operations.filter(({ isRenamed }) => isRenamed).map((operation) => `${operation.name} (${nameOf(operation)})`);
  return found.length > 0 ? `openApiTools() gave other names to ${ofSome(found.length)}: ${listed(found)}.` : '';
}

interface ReportInput {
  /** The operations that became tools. */
  operations: readonly ReadOperation[];
  leftOut: readonly SkippedOperation[];
  /** The operations at another origin. */
  elsewhere: readonly Named[];
  keysGiven: ReadonlySet<string> | undefined;
}

/** Returns the warning; '' if there is nothing to report. */
export function reportTexts({ operations, leftOut, elsewhere, keysGiven }: ReportInput): string {
  const texts = [skippedText(leftOut, elsewhere), relaxedText(operations), keysText(operations, keysGiven), namesText(operations)];
  return texts.filter(Boolean).join(' ');
}

/** Maximum number of operations that a report names for one reason. */
const REPORTED = 1000;

/** Returns the report for the inspector; `undefined` if nothing is left out or relaxed. */
export function reportOf(host: string, { operations, leftOut, elsewhere }: ReportInput): LoadReport | undefined {
  const groups = [
    ...namesByReason(leftOut).map(({ why, names }) => ({ why: `Left out because ${why}`, operations: names })),
    ...(elsewhere.length > 0 ? [{ why: `Left out because ${ELSEWHERE}`, operations: elsewhere.map(nameOf) }] : []),
    ...partsByReason(operations).map(({ why, found }) => ({
      why: `Not asked for: ${why.replace(/,$/, '')}`,
      operations: found.map(({ name, paths }) => `${name}: ${paths.join(', ')}`),
    })),
  ];
  const cut = groups.map(({ why, operations: names }) => ({
    why,
    operations: names.length > REPORTED ? [...names.slice(0, REPORTED), `+ ${String(names.length - REPORTED)}`] : names,
  }));
  return groups.length > 0 ? Object.freeze({ host, groups: cut }) : undefined;
}
