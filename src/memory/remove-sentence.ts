/** Removes what the user wanted forgotten from a summary. */

/** Shorter texts are ordinary words. */
const SHORTEST = 4;

/** Removes each exact occurrence of this sentence with its punctuation; returns the same text if there is none. */
export function removeSentence(summary: string, sentence: string): string {
  const said = bare(sentence);
  if (said.length < SHORTEST || !summary.includes(said)) return summary;
  return summary
    .split('\n')
    .flatMap((line) => {
      const pieces = line.split(said);
      if (pieces.length === 1) return [line];
      const rest = pieces.map((piece, at) => (at > 0 && STOPS.includes(piece[0] ?? ' ') ? piece.slice(1) : piece).trim());
      return rest.filter(Boolean).join(' ') || [];
    })
    .join('\n');
}

const STOPS = '.!。！;；,，';

function bare(sentence: string): string {
  const text = sentence.trim();
  return STOPS.includes(text.at(-1) ?? ' ') ? text.slice(0, -1) : text;
}
