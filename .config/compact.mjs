/** What a browser does not read of markup and styles; both builds leave it out: of the scripts of a page, and of the modules of the package. */

/** A source file of ours, as it is bundled. `id` is its path. */
export function compacted(code, id) {
  if (/styles\.[jt]s$/.test(id)) return code.replace(/`[^`]*`/g, (template) => `\`${withoutSpace(template.slice(1, -1))}\``);
  // Markup loses its indentation, and line breaks between attributes become blanks: 1 % of what a page downloads.
  return /\/(?:src|modules)\/elements\//.test(id) ? code.replace(/\n[ \t]+(?=[a-z@.?-]+=)/g, ' ').replace(/\n[ \t]+/g, '\n') : code;
}

/** Comments and white space that mean nothing in CSS are left out of the templates that hold it. */
function withoutSpace(css) {
  return (
    css
      .replace(/\/\*[^]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      // What is quoted or put in stays; a colon only loses the blank behind it, for the one before may stand between two selectors.
      .replace(/('[^']*'|"[^"]*"|\$\{[^}]*\})| ?([{};,]) ?|: /g, (found, kept, mark) => kept ?? mark ?? found.trim())
      .replace(/;}/g, '}')
      .trim()
  );
}
