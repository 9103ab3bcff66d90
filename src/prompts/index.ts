/**
 * Entry point for the texts that the model gets: the system prompt and the results of calls. Loaded with the first request that needs it.
 */
import { addCallTexts } from '../i18n/en-calls.js';

export { describeTools } from '../tools/describe-tools.js';
export { exampleTurns, type ExampleTurn } from './examples.js';
export { formatResults } from './results.js';
export { buildSystemPrompt, clearPromptCache, fillSections } from './system-prompt.js';

addCallTexts();
