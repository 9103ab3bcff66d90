/** The syntax that is loaded on demand; see `loaded-syntax.ts`. */
export { readEntity } from './entities.js';
export {
  normalizeLabel,
  readDestination,
  scanAutolink,
  scanBareLink,
  scanBareMail,
  scanDefinition,
  scanFormula,
  scanHtml,
  scanLabel,
  scanLinkTail,
  unescapeText,
} from './inline-scan.js';
export { appendImage, appendLink } from './append-link.js';
