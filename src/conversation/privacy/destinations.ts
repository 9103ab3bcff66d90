/** Finds the destinations of links in Markdown that arrives in pieces: their text leaves the page when the link is pressed. */

export interface Destinations {
  /** Goes on reading. A pair of characters may come in two pieces. */
  read(text: string): void;
  /**
   * The next text may be part of a destination, unless it is a whole address of an e-mail.
   *
   * @param after comes behind it, up to two characters; nothing where that is not known
   */
  isInside(next: string, after: string): boolean;
}

/** A bare address ends here, as blanks follow none in Chinese and Japanese. */
const ENDS_ADDRESS = /[\s<，。、；：！？）】》」』]/;

const OPENINGS = { link: '](', definition: ']:', autolink: '<' };

/** That many may be open at once. No honest text has as many; in one that has, all counts as destination up to the end of the line. */
const MOST = 16;

/** A possible destination of a link. Only the end of the text could tell if its beginning is one. */
interface Candidate {
  kind: keyof typeof OPENINGS;
  /** Blanks may stand before it. */
  isAwaited: boolean;
  isInAngles: boolean;
  /** Number of brackets that it has opened itself. */
  depth: number;
  /** Its first characters in lower case, enough to recognize `mailto:`. */
  beginning: string;
}

/** Takes more for a destination than the renderer does, never less. Addresses of e-mails are live without any mark. */
export function createDestinations(): Destinations {
  let candidates: Candidate[] = [];
  /** Behind `https://`, `http://` or `www.`, wherever that stands. */
  let isAddress = false;
  let areTooMany = false;
  /** The last characters, in lower case. */
  let last = '';
  let isEscaped = false;

  function next(char: string): void {
    last = (last + char.toLowerCase()).slice(-8);
    isAddress = (isAddress && !ENDS_ADDRESS.test(char)) || /(?:https?:\/\/|www\.)$/.test(last);
    const wasEscaped = isEscaped;
    isEscaped = char === '\\' && !wasEscaped;
    if (char === '\n') areTooMany = false;
    candidates = candidates.filter((one) => goesOn(one, char, wasEscaped));
    for (const [kind, opening] of Object.entries(OPENINGS) as [Candidate['kind'], string][])
      if (last.endsWith(opening)) candidates.push({ kind, isAwaited: kind !== 'autolink', isInAngles: false, depth: 0, beginning: '' });
    if (candidates.length > MOST) {
      candidates = [];
      areTooMany = true;
    }
  }

  return {
    read(text) {
      for (const char of text) next(char);
    },
    isInside: (next, after) =>
      isAddress ||
      areTooMany ||
      /^(?:[@\w+]|[.-][@\w+.-])/.test(after) ||
      (next.includes('@') && /[\w+.-]$/.test(last)) ||
      candidates.some((one) => isDestination(one, after.charAt(0))),
  };
}

/** Blanks other than these, such as the one that never breaks, may be part of a destination. */
const isBlank = (char: string): boolean => char <= ' ';

function goesOn(one: Candidate, char: string, isEscaped: boolean): boolean {
  if (one.isAwaited) {
    if (isBlank(char)) return true;
    one.isAwaited = false;
    if (char === '<') return (one.isInAngles = true);
  }
  if (one.isInAngles && (char === '\n' || (char === '>' && !isEscaped))) return false;
  if (!one.isInAngles && isBlank(char)) return false;
  if (one.kind === 'autolink' && char === '>') return false;
  if (one.kind === 'link' && !one.isInAngles && !isEscaped) {
    if (char === '(') one.depth += 1;
    if (char === ')' && one.depth-- === 0) return false;
  }
  if (one.beginning.length < 8) one.beginning += char.toLowerCase();
  return true;
}

/** A message to the person whose address it is carries nothing away; to an address that a value is only a part of, it would. */
function isDestination({ kind, beginning, isInAngles }: Candidate, after: string): boolean {
  if (beginning === 'mailto:')
    return !(isInAngles || kind === 'autolink' ? '>?' : kind === 'link' ? ')? \n' : '? \n').includes(after || 'a');
  return kind !== 'autolink' || beginning !== '' || !'> \n'.includes(after || 'a');
}
