/** The entry point `tool-chat/tools`: tools from existing sources of a page. Each function returns definitions for `registerTool`. */
export { fileTools, type FileToolsOptions } from './files/file-tools.js';
export { memoryFileStore, openFileStore, type Entry, type FileStore } from './files/file-store.js';
export { draftInto, formTools, type FormOptions } from './form-tools.js';
export { openApiTools, type OpenApiOptions } from './openapi.js';
export type { OpenApiOperation } from './openapi-operations.js';
export { sandboxTools, type SandboxOptions } from './sandbox/sandbox-tools.js';
