/** The anchor of a heading as GitHub makes it, so that a link to a chapter leads there on the site as well as in the repository. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
