/** Ready tools from what a page already has: the door `tool-chat/tools`. Each function gives definitions for `registerTool`. */
export { fileTools, type FileToolsOptions } from './files/file-tools.js';
export { memoryFileStore, openFileStore, type Entry, type FileStore } from './files/file-store.js';
export { draftInto, formTools, type FormOptions } from './form-tools.js';
export { openApiTools, type OpenApiOptions } from './openapi.js';
export type { OpenApiOperation } from './openapi-operations.js';
export { sandboxTools, type SandboxOptions } from './sandbox/sandbox-tools.js';
