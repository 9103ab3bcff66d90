/** Removes the parts of markup and styles that browsers ignore. Both builds use it, for the scripts of a page and the modules of the package. */

/** Returns a source file as it is bundled. `id` is its path. */
export function stripCss(code, id) {
  if (/styles\.[jt]s$/.test(id)) return code.replace(/`[^`]*`/g, (template) => `\`${withoutSpace(template.slice(1, -1))}\``);
  // Markup loses its indentation, and line breaks between attributes become blanks: 1 % of what a page downloads.
  return /\/(?:src|modules)\/elements\//.test(id) ? code.replace(/\n[ \t]+(?=[a-z@.?-]+=)/g, ' ').replace(/\n[ \t]+/g, '\n') : code;
}

/** Removes comments and insignificant white space from the templates that contain CSS. */
function withoutSpace(css) {
  return (
    css
      .replace(/\/\*[^]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      // Quoted and inserted text stays. A colon loses only the blank after it, because one before it may separate two selectors.
      .replace(/('[^']*'|"[^"]*"|\$\{[^}]*\})| ?([{};,]) ?|: /g, (found, kept, mark) => kept ?? mark ?? found.trim())
      .replace(/;}/g, '}')
      .trim()
  );
}
