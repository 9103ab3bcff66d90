/** For tests and offline demos: the door `tool-chat/testing`. */
export * as hops from './hops.js';
export { runProtocolConformance } from './protocol-conformance.js';
export * from './scripted-model.js';
