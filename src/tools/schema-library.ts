/** What most schemas of tools do without: where references lead, and what formats mean. Loaded with the first schema that has one. */
export { dereference } from '@cfworker/json-schema';
export { isFormat } from './formats.js';
