/** Removes the parts of markup and styles that browsers ignore. Both builds use it, for the scripts of a page and the modules of the package. */

/** Returns a source file as it is bundled. `id` is its path. */
function stripCss(code, id) {
  if (/styles\.[jt]s$/.test(id)) return code.replace(/`[^`]*`/g, stripTemplate);
  if (!/\/(?:src|modules)\/(?:elements|inspector)\//.test(id)) return code;
  const withStyles = code.replace(/(?<=\bcss)`[^`]*`/g, stripTemplate);
  // Markup loses its indentation, and line breaks between attributes become blanks: 1 % of what a page downloads.
  return id.includes('/elements/') ? withStyles.replace(/\n[ \t]+(?=[a-z@.?-]+=)/g, ' ').replace(/\n[ \t]+/g, '\n') : withStyles;
}

/**
 * Returns a source file as a plugin of a bundler does. An element registers itself, so its module stays even if nothing is imported from it
 * by name.
 */
export const stripped = (code, id) => ({
  code: stripCss(code, id),
  ...(/\/(?:src|modules)\/elements\//.test(id) && { moduleSideEffects: true }),
});

const stripTemplate = (template) => `\`${withoutSpace(template.slice(1, -1))}\``;

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
