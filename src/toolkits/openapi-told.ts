/** The one warning that a host gets of a document: all that is left out or relaxed, by operation and reason. */
import type { LeftOut, ReadOperation } from './openapi-operations.js';
import type { RelaxedPart } from './openapi-shape.js';

/** Operations and arguments that are named. */
const NAMED = 5;

const REASONS: Record<LeftOut['why'], string> = {
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

type Named = Pick<LeftOut, 'method' | 'path'>;

const nameOf = ({ method, path }: Named): string => `${method} ${path}`;

function listed(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ', …' : ''}`;
}

const ofSome = (count: number): string => `${String(count)} operation${count === 1 ? '' : 's'}`;

function leftOutText(leftOut: readonly LeftOut[], elsewhere: number): string {
  const groups = (Object.keys(REASONS) as LeftOut['why'][]).flatMap((why) => {
    const names = leftOut.filter((one) => one.why === why).map(nameOf);
    return names.length === 0 ? [] : [`${String(names.length)} because ${REASONS[why]} (${listed(names)})`];
  });
  if (elsewhere > 0) groups.push(`${String(elsewhere)} because they answer at another origin`);
  return groups.length > 0 ? `openApiTools() left out operations: ${groups.join('; ')}.` : '';
}

function relaxedText(operations: readonly ReadOperation[]): string {
  const groups = (Object.keys(RELAXED) as RelaxedPart['why'][]).flatMap((why) => {
    const found = operations.flatMap((operation) => {
      const paths = new Set(operation.relaxed.filter((part) => part.why === why).map(({ path }) => path));
      return paths.size === 0 ? [] : [`${listed([...paths])} (${nameOf(operation)})`];
    });
    return found.length === 0 ? [] : [`${RELAXED[why]} left out of ${ofSome(found.length)}: ${listed(found)}`];
  });
  return groups.length > 0 ? `openApiTools() asks for less than the document: ${groups.join('; ')}.` : '';
}

/** @param given names of the headers that `auth` gives, in lower case; undefined where that is not known before a call */
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

interface Told {
  /** Those that became tools. */
  operations: readonly ReadOperation[];
  leftOut: readonly LeftOut[];
  /** Operations at another origin. */
  elsewhere: number;
  keysGiven: ReadonlySet<string> | undefined;
}

/** Empty where there is nothing to say. */
export function toldOf({ operations, leftOut, elsewhere, keysGiven }: Told): string {
  const texts = [leftOutText(leftOut, elsewhere), relaxedText(operations), keysText(operations, keysGiven), namesText(operations)];
  return texts.filter(Boolean).join(' ');
}
