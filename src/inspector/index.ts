/** Registers `<tool-chat-inspector>` and its pages: the door `tool-chat/inspector`. Safe to load twice. */
import { defineOnce } from '../elements/define-once.js';
import { ToolChatInspector } from './tool-chat-inspector.js';
import { ToolChatInspectorBench } from './tool-chat-inspector-bench.js';
import { ToolChatInspectorChart } from './tool-chat-inspector-chart.js';
import { ToolChatInspectorDecisions } from './tool-chat-inspector-decisions.js';
import { ToolChatInspectorMatrix } from './tool-chat-inspector-matrix.js';
import { ToolChatInspectorPrompt } from './tool-chat-inspector-prompt.js';
import { ToolChatInspectorRun } from './tool-chat-inspector-run.js';
import { ToolChatInspectorSession } from './tool-chat-inspector-session.js';
import { ToolChatInspectorTools } from './tool-chat-inspector-tools.js';
import { ToolChatInspectorTrace } from './tool-chat-inspector-trace.js';

export { ToolChatInspector } from './tool-chat-inspector.js';
export { closeInspector, openInspector } from './beside.js';

// A server has no elements.
if (globalThis.customElements) {
  defineOnce('tool-chat-inspector-tools', ToolChatInspectorTools);
  defineOnce('tool-chat-inspector-prompt', ToolChatInspectorPrompt);
  defineOnce('tool-chat-inspector-bench', ToolChatInspectorBench);
  defineOnce('tool-chat-inspector-matrix', ToolChatInspectorMatrix);
  defineOnce('tool-chat-inspector-run', ToolChatInspectorRun);
  defineOnce('tool-chat-inspector-chart', ToolChatInspectorChart);
  defineOnce('tool-chat-inspector-trace', ToolChatInspectorTrace);
  defineOnce('tool-chat-inspector-decisions', ToolChatInspectorDecisions);
  defineOnce('tool-chat-inspector-session', ToolChatInspectorSession);
  defineOnce('tool-chat-inspector', ToolChatInspector);
}
