/**
 * What an ordinary visit never loads, by the reason for which it is loaded: one file each, for the scripts of a page and for the modules of
 * the package alike. A file by itself costs a request, some 200 bytes of gzip and a place in the package. Paths are those of `src/`, or begin
 * with `node_modules/`.
 */
const at = (folder, names) => names.split(' ').map((name) => (folder ? `${folder}/${name}` : name));

/** For a first call, and for all that may know of one: its words, and what is done about it. */
export const ofCalls = at(
  '',
  'i18n/en-calls prompts/malformed-call tools/lost-flag tools/bare-name model/asked-digest conversation/request/plan-tools',
).concat(
  at('conversation/chart', 'call-steps call-machine call-changes manual-turn'),
  at('conversation/chart', 'keyword-confirmation fallback-call decided'),
  'conversation/reply/call-sink',
);

export const seldom = {
  // Another service than our relay.
  'openai-wires': at('transports', 'openai same-chunk openai-responses ollama'),
  'stream-wires': at('transports', 'ag-ui ag-ui-events json-patch ui-message-stream ui-messages').concat('conversation/reply/shared-state'),
  'other-wires': at('transports', 'anthropic gemini text prompt-api device-model acted-answer wllama'),
  // Another notation, or another way to read it.
  'vcp-notation': at('protocols/vcp', 'prompt parser').concat('protocols/vcp'),
  dialects: at(
    'protocols',
    'dialects dialects/bodies dialects/brackets dialects/cursor dialects/harmony dialects/heads dialects/marks dialects/notation',
  ).concat(at('protocols', 'dialects/ours dialects/parameters dialects/tags dialects/whole loose/python loose/shapes loose/backwards')),
  'whole-replies': at('', 'protocols/any protocols/complete conversation/reply/block-reader'),
  // Something failed.
  fault: at('transports', 'check-endpoint resume-from refusal retry-headers no-temperature too-long').concat(
    at('elements/tool-chat-fault', 'tool-chat-fault tool-chat-fault.styles'),
    at('', 'elements/define-fault i18n/fault-texts conversation/host/check-configuration base/read-body model/error-codes'),
  ),
  // A long answer, of which the service can give the rest where it broke off.
  resuming: ['transports/resume'],
  // A chain that words confirm.
  questions: ['conversation/chart/own-question'],
  // The conversation outlives the page.
  kept: at('storage', 'conversation-rows conversation-area conversation-session stillness conversation-store conversation-list').concat(
    at(
      'storage',
      'storage-error read-storage-error session-area session-journal session-room session-text tab-draft journal-rows plan-checks',
    ),
    at('storage', 'recover stored-call stored-conversation stored-shapes'),
    at('', 'base/checks model/calls'),
    at('conversation/keeping', 'last-opened secrets compose restored'),
  ),
  keeper: at(
    'conversation/keeping',
    'kept forgetting journal-of kept-grants kept-parts mirror shown-end storage-trouble tab-notices tab-requests tab-machine',
  ).concat(at('', 'conversation/keeping/tabs-of conversation/keeping/telling conversation/keeping/keeper storage/tabs')),
  'kept-in-database': at(
    'storage',
    'indexeddb conversation-database conversation-end conversation-farewell lasting-journal lease memory-table',
  ).concat('node_modules/idb/build/index'),
  'session-files': at(
    '',
    'conversation/keeping/conversation-desk conversation/keeping/misfit conversation/keeping/session-export storage/session-format',
  ),
  'long-conversation': at('conversation/view', 'long-drawing long-messages long-cards long-lists'),
  // What lies over the panel.
  menu: at('elements', 'define-menu define-history define-models settings-desk over-panel over-panel.styles').concat(
    at('elements/tool-chat-menu', 'acts settings-page shortcuts tool-chat-menu.styles tool-chat-menu'),
    at('elements/tool-chat-history', 'day-groups tool-chat-history.styles tool-chat-history'),
    at('elements/tool-chat-memory', 'tool-chat-memory.styles tool-chat-memory'),
    at('elements/tool-chat-grants', 'tool-chat-grants.styles tool-chat-grants'),
    'elements/tool-chat-models/tool-chat-models',
  ),
  // A person is asked for more than a yes.
  asked: at(
    '',
    'elements/question-dialog elements/elicit-dialog elements/elicit-fields model/choices i18n/server-question elements/edit-form',
  ).concat(
    at('elements/tool-chat-dialog', 'tool-chat-dialog.styles tool-chat-dialog'),
    at('elements/tool-chat-edit', 'form-fields tool-chat-edit.styles tool-chat-edit'),
  ),
  // A floating panel is moved or sized.
  grips: at('elements', 'grips free-place'),
  'many-calls': at('elements', 'define-batch define-call-list').concat(
    at('elements/tool-chat-approval', 'tool-chat-batch.styles tool-chat-batch'),
    at('elements/tool-chat-call-list', 'tool-chat-call-list.styles tool-chat-call-list'),
  ),
  'message-acts': at('elements', 'define-rewrite tool-chat-rewrite/tool-chat-rewrite').concat(
    at('elements/tool-chat-message', 'message-actions.styles message-actions'),
  ),
  // A plan is read, or may be among what is restored.
  'plan-steps': at('conversation/chart', 'plan-steps plan-changes plan-progress'),
  plans: at(
    '',
    'conversation/request/goal-verbs conversation/request/planning prompts/plan-texts elements/plan-cards elements/confirm-word',
  ).concat(
    at('elements/tool-chat-plan', 'tool-chat-plan.styles tool-chat-plan'),
    at('elements/tool-chat-clarify', 'tool-chat-clarify.styles tool-chat-clarify'),
  ),
  // What a page set, each of a few lines.
  'set-options': at('elements', 'text-rules suggestions follow-inspect').concat(
    at('', 'conversation/reply/answer-cache conversation/request/relay-gating conversation/reply/chunk-log transports/choose-reader'),
    at('', 'protocols/in-code transports/known-fields'),
    at('', 'conversation/calls/rehearsal tools/simulate tools/decide prompts/run-macros elements/define-parts inspector/player'),
  ),
  'fitting-requests': at(
    '',
    'conversation/request/fitting conversation/request/lessons transports/model-window prompts/tokens prompts/paging prompts/paging-texts',
  ).concat('node_modules/tokenx/dist/index'),
  // After a call, or instead of it.
  'further-calls': at(
    'conversation/calls',
    'rebinding recovered-call undo repeat-call ended-call-machine locks resource-locks service-approval attempts tool-strategies',
  ).concat(
    at(
      '',
      'conversation/host/call-turns conversation/reply/service-calls tools/grant-rules tools/thrown tools/sha256 elements/tool-chat-call/run-again',
    ),
  ),
  patterns: at('base', 'pattern-tests pattern-cost pattern-texts'),
  schemas: at('', 'tools/check-schema tools/formats tools/expected protocols/pattern-text').concat(
    'node_modules/@cfworker/json-schema/dist/esm/',
  ),
  'late-markdown': at('markdown', 'late-styles late-words images notes'),
  'other-words': at('', 'i18n/further i18n/over-english elements/own-texts'),
  'lit-parts': at('node_modules/lit-html', 'directive directive-helpers directives/repeat directives/keyed').concat(
    'node_modules/lit/directives/',
    'elements/around',
  ),
  // Without what only a conversation has: tools of a page without a bundler warn, too.
  log: at('', 'base/log-entry base/redact'),
  'unseen-words': at('', 'conversation/reply/unseen-words'),
};
