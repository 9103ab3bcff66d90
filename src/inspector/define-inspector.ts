/** Registers the inspector and its pages. */
import { defineOnce } from '../elements/define-once.js';
import { ToolChatInspector } from './tool-chat-inspector.js';
import { ToolChatInspectorBench } from './tool-chat-inspector-bench.js';
import { ToolChatInspectorCheck } from './tool-chat-inspector-check.js';
import { ToolChatInspectorChart } from './tool-chat-inspector-chart.js';
import { ToolChatInspectorDecisions } from './tool-chat-inspector-decisions.js';
import { ToolChatInspectorMatrix } from './tool-chat-inspector-matrix.js';
import { ToolChatInspectorPrompt } from './tool-chat-inspector-prompt.js';
import { ToolChatInspectorRun } from './tool-chat-inspector-run.js';
import { ToolChatInspectorSession } from './tool-chat-inspector-session.js';
import { ToolChatInspectorTools } from './tool-chat-inspector-tools.js';
import { ToolChatInspectorTrace } from './tool-chat-inspector-trace.js';

/** Registers the elements. Safe to call again, and along with another version. */
export function defineInspector(): void {
  // Servers have no custom elements.
  if (!globalThis.customElements) return;
  defineOnce('tool-chat-inspector-tools', ToolChatInspectorTools);
  defineOnce('tool-chat-inspector-prompt', ToolChatInspectorPrompt);
  defineOnce('tool-chat-inspector-bench', ToolChatInspectorBench);
  defineOnce('tool-chat-inspector-matrix', ToolChatInspectorMatrix);
  defineOnce('tool-chat-inspector-run', ToolChatInspectorRun);
  defineOnce('tool-chat-inspector-check', ToolChatInspectorCheck);
  defineOnce('tool-chat-inspector-chart', ToolChatInspectorChart);
  defineOnce('tool-chat-inspector-trace', ToolChatInspectorTrace);
  defineOnce('tool-chat-inspector-decisions', ToolChatInspectorDecisions);
  defineOnce('tool-chat-inspector-session', ToolChatInspectorSession);
  defineOnce('tool-chat-inspector', ToolChatInspector);
}
