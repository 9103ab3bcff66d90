/** The single line for consecutive calls that needed no approval, loaded with the first two of them. */
import { defineOnce } from './define-once.js';
import { fullEnglish } from '../i18n/en.js';
import { ToolChatCallList } from './tool-chat-call-list/tool-chat-call-list.js';

fullEnglish();

/** Inserts a list before the run of calls that contains `holder`, unless the run already has one. */
export function foldAdjacentCalls(holder: Element): void {
  defineOnce('tool-chat-call-list', ToolChatCallList);
  let first = holder;
  let before = holder.previousElementSibling;
  for (; before && isCallHolder(before); before = before.previousElementSibling) first = before;
  if (before?.localName === 'tool-chat-call-list') return;
  const list = document.createElement('tool-chat-call-list');
  list.setAttribute('exportparts', 'call-list');
  first.before(list);
}

const isCallHolder = (element: Element): boolean => element.matches('[part~=message-tool]');
