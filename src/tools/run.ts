/** All that happens to a call once it is complete: checked, described, judged, run. Loaded with the first call. */
export { decideByHost } from './decide.js';
export { executeTool } from './execute.js';
export { gate, reasonText } from './gate.js';
export { prepareCall } from './prepare.js';
export { outcomes, publish } from './result.js';
