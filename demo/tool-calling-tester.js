/** The inspector as a page: a chat with a few tools, and all that can be looked at in it. */
import { pageLanguage, switchLanguage } from './page-texts.js';
import { testerTexts, testerTools } from './tester-tools.js';

const lang = pageLanguage();
const text = testerTexts(lang);
document.documentElement.lang = lang;
document.title = text.title;
for (const node of document.querySelectorAll('[data-text]')) node.textContent = text[node.dataset.text];
for (const node of document.querySelectorAll('[data-text-label]')) node.setAttribute('aria-label', text[node.dataset.textLabel]);
switchLanguage(document.querySelector('#language'), lang);
document.querySelector('#home').search = `lang=${lang}`;

const assistant = document.querySelector('#assistant');
assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.chat);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));

(window.toolChat ??= []).push((chat) => {
  const { tools, calendar } = testerTools(text);
  for (const tool of tools) chat.registerTool(tool);
  chat.registerTools(calendar);
});
