/** The single line for consecutive calls that needed no approval, loaded with the first two of them. */
import { defineOnce } from './define-once.js';
import { wholeEnglish } from '../i18n/en.js';
import { ToolChatCallList } from './tool-chat-call-list/tool-chat-call-list.js';

wholeEnglish();

/** Inserts a list before the run of calls that contains `place`, unless the run already has one. */
export function foldRun(place: Element): void {
  defineOnce('tool-chat-call-list', ToolChatCallList);
  let first = place;
  let before = place.previousElementSibling;
  for (; before && isPlace(before); before = before.previousElementSibling) first = before;
  if (before?.localName === 'tool-chat-call-list') return;
  const list = document.createElement('tool-chat-call-list');
  list.setAttribute('exportparts', 'call-list');
  first.before(list);
}

const isPlace = (element: Element): boolean => element.matches('[part~=message-tool]');
