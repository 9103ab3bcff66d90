/** What a release has to be, each as a function of texts: which version, what its README looks like on the registry's page. */

export interface Release {
  version: string;
  /** What changed, as the list of changes says it. */
  notes: string;
}

const HEADING = /^## (\d+)\.(\d+)\.(\d+) \(([^)]*)\)$/m;

/**
 * The release that CHANGELOG.md announces at its top.
 *
 * @throws says what is to be written there, when the chapter is missing, empty, or its number does not fit what it says
 */
export function announced(changelog: string): Release {
  const [, first = '', second] = changelog.split(/^(?=## )/m);
  const heading = HEADING.exec(first);
  if (heading?.[4] !== 'unreleased') throw new Error('CHANGELOG.md begins with no chapter "## X.Y.Z (unreleased)".');
  const [, major = '', minor = '', patch = ''] = heading;
  const version = `${major}.${minor}.${patch}`;
  const notes = first.slice(first.indexOf('\n')).trim();
  if (!/^- /m.test(notes)) throw new Error(`CHANGELOG.md says nothing of ${version}.`);
  const before = second === undefined ? null : HEADING.exec(second);
  if (!before) return { version, notes };
  const least = leastAfter([Number(before[1]), Number(before[2]), Number(before[3])], /^### To move$/m.test(notes));
  const wanted = [Number(major), Number(minor), Number(patch)];
  const at = [0, 1, 2].find((place) => wanted[place] !== least[place]);
  if (at !== undefined && (wanted[at] ?? 0) < (least[at] ?? 0))
    throw new Error(
      `${version} is too small a step after ${before.slice(1, 4).join('.')}: at least ${least.join('.')} (docs/upgrading.md).`,
    );
  return { version, notes };
}

/** What takes away or changes is a major, and before 1.0 a minor; all else may be a patch. */
function leastAfter([major, minor, patch]: [number, number, number], moves: boolean): number[] {
  if (!moves) return [major, minor, patch + 1];
  return major > 0 ? [major + 1, 0, 0] : [0, minor + 1, 0];
}

/** The chapter with its date. */
export function dated(changelog: string, day: string): string {
  return changelog.replace(' (unreleased)', ` (${day})`);
}

/**
 * README.md as the registry shows it, where nothing lies beside it: links lead to the files of this version on a CDN that serves what was
 * published, and what was not is a word, or no picture.
 */
export function registryReadme(text: string, at: string, held: ReadonlySet<string>): string {
  const absolute = (link: string) => {
    const [file = '', anchor] = link.split('#');
    return held.has(file) ? `${at}/${file}${anchor === undefined ? '' : `#${anchor}`}` : undefined;
  };
  const near = (link: string) => !/^(?:https?:|mailto:|#)/.test(link);
  return text
    .replaceAll(/^!\[[^\]]*\]\(([^)\s]+)\)\n\n?/gm, (whole, link: string) => {
      if (!near(link)) return whole;
      const to = absolute(link);
      return to === undefined ? '' : whole.replace(link, to);
    })
    .replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, words: string, link: string) => {
      if (!near(link)) return whole;
      const to = absolute(link);
      return to === undefined ? words : `[${words}](${to})`;
    })
    .replaceAll(/^\[(\w+)\]: (\S+)$/gm, (whole, name: string, link: string) => {
      if (!near(link)) return whole;
      const to = absolute(link);
      if (to === undefined) throw new Error(`README.md: [${name}] leads to ${link}, which is not published.`);
      return `[${name}]: ${to}`;
    });
}

/**
 * A page of the docs as it is published: without lines that only our site can show, examples that run and pictures; what is not published is a
 * word.
 *
 * @param isHeld whether the file that a link names, from this page on, is published
 */
export function publishedPage(text: string, isHeld: (file: string) => boolean): string {
  return text
    .replaceAll(/^(?:<TryIt [^>]*\/>|[| ]*(?:!\[[^\]]*\]\((?:\.\.\/)?screenshots\/[^)]*\)[| ]*)+)\n(?:\n|(?=\|)|$)/gm, '')
    .replaceAll(/(?<!!)\[([^\]\n]+)\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)\s]*)?\)/g, (whole, words: string, file: string) =>
      isHeld(file) ? whole : words,
    );
}

/** Where links and pictures of a text lead. */
export function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|^\[\w+\]: (\S+)$/gm)].map(([, inline, named]) => inline ?? named ?? '');
}
