/**
 * The modules that an ordinary visit never loads, grouped by the reason for loading them. Each group is one file, in the scripts of a page
 * and in the modules of the package. A separate file costs a request and some 200 bytes of gzip. Paths are those of `src/`, or begin
 * with `node_modules/`.
 */
const at = (folder, names) => names.split(' ').map((name) => (folder ? `${folder}/${name}` : name));

/** Needed for a first call: its texts, and the code that handles it. */
export const ofCalls = at('', 'i18n/en-calls tools/lost-call-flag tools/bare-name model/approval-digest').concat(
  at('conversation/chart', 'call-steps call-machine call-changes'),
  at('conversation/chart', 'keyword-confirmation fallback-call apply-decision'),
  'conversation/reply/call-sink',
);

export const lazyGroups = {
  // Another service than our relay.
  'openai-wires': at('transports', 'openai openai-responses ollama'),
  'stream-wires': at('transports', 'ag-ui ag-ui-events json-patch ui-message-stream ui-messages').concat('conversation/reply/shared-state'),
  'other-wires': at('transports', 'anthropic gemini text prompt-api device-model local-model-fetch wllama'),
  // Another protocol, or another way to parse it.
  'vcp-protocol': at('protocols/vcp', 'prompt parser').concat('protocols/vcp'),
  dialects: at(
    'protocols',
    'dialects dialects/bodies dialects/brackets dialects/cursor dialects/harmony dialects/heads dialects/marks dialects/dialect-protocol',
  ).concat(
    at(
      'protocols',
      'dialects/built-in-blocks dialects/parameters dialects/restored-text dialects/tags dialects/unmarked-calls foreign-formats/python foreign-formats/call-shapes foreign-formats/read-backwards',
    ),
  ),
  'whole-replies': at('', 'protocols/any-protocol protocols/built-in-readers protocols/on-call-complete conversation/reply/block-reader'),
  // Something failed.
  errors: at('transports', 'check-endpoint resume-from endpoint-errors retry-headers fixed-temperature context-length-error').concat(
    at('elements/tool-chat-error-details', 'tool-chat-error-details'),
    at('', 'i18n/error-texts i18n/en-endpoint conversation/host/check-configuration base/read-body model/error-codes'),
  ),
  // A long reply that broke off, and that the service can continue.
  resuming: ['transports/resume'],
  // A chain of calls that the user confirms with a word.
  questions: ['conversation/chart/detect-question'],
  // The conversation outlives the page.
  storage: at(
    'storage',
    'conversation-rows conversation-area conversation-session page-lifecycle conversation-store conversation-list',
  ).concat(
    at('storage', 'storage-error session-area session-journal session-text tab-draft journal-rows plan-checks'),
    at('storage', 'recover stored-call stored-conversation stored-shapes'),
    at('', 'base/checks model/calls'),
    at('conversation/persistence', 'last-opened secrets serialize-conversation rehydrate'),
  ),
  'session-sync': at(
    'conversation/persistence',
    'persisted-session erase-session session-journal persisted-slices tab-mirror tail-preview storage-notices outbox tab-machine',
  ).concat(at('', 'conversation/persistence/join-tabs conversation/persistence/session-sync storage/tabs')),
  database: at('storage', 'indexeddb conversation-database conversation-tail persistent-journal lease memory-table').concat(
    'node_modules/idb/build/index',
  ),
  'session-files': at('', 'conversation/persistence/saved-conversations conversation/persistence/session-export storage/session-format'),
  'long-conversation': at('conversation/view', 'long-drawing'),
  // Dialogs over the panel.
  menu: at('elements', 'settings-controller overlay').concat(
    at('elements/tool-chat-menu', 'menu-pages tool-chat-menu.styles tool-chat-menu'),
    at('elements/tool-chat-history', 'tool-chat-history.styles tool-chat-history'),
    at('elements/tool-chat-memory', 'tool-chat-memory'),
    at('elements/tool-chat-grants', 'tool-chat-grants'),
    'elements/tool-chat-models/tool-chat-models',
  ),
  // The user is asked for more than an approval.
  dialogs: at('', 'elements/elicit-dialog elements/elicit-fields model/choices i18n/server-question').concat(
    at('elements/tool-chat-dialog', 'tool-chat-dialog'),
    at('elements/tool-chat-edit', 'form-fields tool-chat-edit.styles tool-chat-edit'),
  ),
  // A floating panel is moved or sized.
  resize: at('elements', 'drag-resize panel-geometry'),
  'many-calls': at('elements', 'tool-chat-approval/tool-chat-batch tool-chat-call-list/tool-chat-call-list'),
  'message-actions': at('elements', 'tool-chat-rewrite/tool-chat-rewrite').concat(at('elements/tool-chat-message', 'message-actions')),
  // A plan is read, or may be among what is restored.
  'plan-steps': at('conversation/chart', 'plan-steps plan-changes plan-progress'),
  plans: at('', 'conversation/request/detect-goals conversation/request/planning elements/confirm-word').concat(
    at('elements/tool-chat-plan', 'tool-chat-plan'),
    at('elements/tool-chat-clarify', 'tool-chat-clarify'),
  ),
  // Options that a page set, each with a few lines of code.
  'set-options': at('elements', 'text-rules suggestions sync-inspector').concat(
    at('', 'conversation/reply/answer-cache conversation/request/relay-gating conversation/reply/chunk-log transports/detect-wire'),
    at('', 'protocols/is-in-code transports/known-fields'),
    at('', 'conversation/calls/dry-run tools/decide prompts/run-macros inspector/player'),
  ),
  'fitting-requests': at(
    '',
    'conversation/request/fit-to-context conversation/request/fallback-for-error transports/model-window prompts/tokens prompts/paging',
  ).concat('node_modules/tokenx/dist/index'),
  // After a call, or instead of it.
  'further-calls': at(
    'conversation/calls',
    'rebinding recovered-call undo repeat-call ended-call-machine resource-locks service-approval attempts',
  ).concat(
    at(
      '',
      'conversation/host/call-turns conversation/reply/service-calls tools/grant-rules tools/normalize-error elements/tool-chat-call/run-again',
    ),
  ),
  // Browsers have this themselves, except on http pages.
  sha256: at('tools', 'sha256'),
  patterns: at('base', 'pattern-tests pattern-cost pattern-texts'),
  schemas: at('', 'tools/open-schema tools/check-schema tools/formats tools/expected-type').concat(
    'node_modules/@cfworker/json-schema/dist/esm/',
  ),
  // Links, images, HTML, character references and formulas.
  'markdown-syntax': at('markdown', 'lazy-syntax inline-scan entities links append-link'),
  'late-markdown': at('markdown', 'lazy-styles lazy-labels images footnotes'),
  languages: at('', 'i18n/lazy-languages i18n/english-fallback elements/custom-strings'),
  'lit-parts': at('node_modules/lit-html', 'directive directive-helpers directives/repeat directives/keyed').concat(
    'node_modules/lit/directives/',
    'elements/isolate-text',
  ),
  // Without what only a conversation has: tools of a page without a bundler warn, too.
  log: at('', 'base/log-entry base/redact'),
  'chinese-prompts': at('', 'prompts/chinese protocols/chinese'),
  'unsent-attachments': at('', 'conversation/reply/unsent-attachments-notice'),
};
