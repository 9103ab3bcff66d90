/** The entry point `tool-chat/testing`, for tests and offline demos. */
export * as hops from './schemas.js';
export { corpus, type CorpusSample, type ProtocolCorpus } from './corpus/index.js';
export { protocolChecks, runProtocolConformance } from './protocol-conformance.js';
export { checkTools, type ToolCheckOptions, type ToolFinding, type ToolReport } from './tool-check.js';
export * from '../scripted-model/index.js';
