const NAMED = /\b(S\d|X|Y)-(\d{2,3})(?:\s*…\s*\1-(\d{2,3}))?\b/g;

/** The rows of docs/requirements.md that a text names; `S0-36 … S0-40` names five. */
export function namedRows(text) {
  const rows = new Set();
  for (const [, part, first, last = first] of text.matchAll(NAMED))
    for (let at = Number(first); at <= Number(last); at += 1) rows.add(`${part}-${String(at).padStart(2, '0')}`);
  return rows;
}
