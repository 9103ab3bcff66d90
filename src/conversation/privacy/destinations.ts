/** Finds link destinations in streamed Markdown: their text leaves the page when the link is followed. */

export interface Destinations {
  /** Continues with the next text. A pair of characters may be split between two chunks. */
  read(text: string): void;
  /**
   * Checks whether the next text may become part of a destination. A complete e-mail address does not count.
   *
   * @param after the text after it, up to two characters; empty if it is not known
   */
  isInside(next: string, after: string): boolean;
}

/** Characters that end a bare address. The punctuation is included because Chinese and Japanese have no blanks after it. */
const ENDS_ADDRESS = /[\s<，。、；：！？）】》」』]/;

const OPENINGS = { link: '](', definition: ']:', autolink: '<' };

/**
 * The maximum number of open candidates. No ordinary text has as many; beyond that, everything up to the end of the line counts as
 * destination.
 */
const MOST = 16;

/** A possible destination of a link. Only the rest of the text can tell if it really is one. */
interface Candidate {
  kind: keyof typeof OPENINGS;
  /** True if blanks may still precede it. */
  isAwaited: boolean;
  isInAngles: boolean;
  /** The number of brackets that it has opened and not closed. */
  depth: number;
  /** Its first characters in lower case, enough to recognize `mailto:`. */
  beginning: string;
}

/** Treats more text as a destination than the renderer does, never less. E-mail addresses are links without any markup. */
export function createDestinations(): Destinations {
  let candidates: Candidate[] = [];
  /** True after `https://`, `http://` or `www.`, at any position. */
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

/** Other blanks, such as the no-break space, may be part of a destination. */
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

/** A `mailto:` link to exactly this address reveals nothing to others. If the value is only part of the address, it would. */
function isDestination({ kind, beginning, isInAngles }: Candidate, after: string): boolean {
  if (beginning === 'mailto:')
    return !(isInAngles || kind === 'autolink' ? '>?' : kind === 'link' ? ')? \n' : '? \n').includes(after || 'a');
  return kind !== 'autolink' || beginning !== '' || !'> \n'.includes(after || 'a');
}
