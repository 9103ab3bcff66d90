/** A small bar at the bottom of the window that asks the user to sign in, for pages without their own place for it. It takes no focus. */
import { createSheet } from '../base/style-sheets.js';
import type { ToolkitTexts } from '../toolkits/toolkit-texts.js';
import type { AskSignIn } from './sign-in.js';

const CSS = `
:host { all: initial; color-scheme: light dark; }
section { position: fixed; inset: auto 12px 12px; z-index: 2147483000; box-sizing: border-box; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
  justify-content: space-between; max-width: 36rem; margin-inline: auto; padding: .6rem .6rem .6rem 1rem; border: 1px solid light-dark(#d3d4da, #41444d);
  border-radius: 12px; background: light-dark(#fff, #1c1d21); color: light-dark(#1c1d21, #ededf0); font: 15px/1.45 system-ui, sans-serif;
  box-shadow: 0 6px 24px rgb(12 13 20 / 18%); }
p { flex: 1 1 16rem; margin: 0; overflow-wrap: anywhere; }
div { display: flex; gap: .5rem; margin-inline-start: auto; }
button { min-height: 44px; padding: 0 1rem; border: 1px solid light-dark(#82858f, #7a7e8a); border-radius: 8px; background: transparent; color: inherit; font: inherit; }
button.primary { border-color: transparent; background: light-dark(#1c1d21, #ededf0); color: light-dark(#fff, #151619); }
:focus-visible { outline: 2px solid light-dark(#3454d1, #9db2ff); outline-offset: 2px; }
`;

export function showSignInBar(words: ToolkitTexts): AskSignIn {
  let host: HTMLElement | undefined;
  return (question) => {
    if (!question) {
      host?.remove();
      host = undefined;
      return;
    }
    const hadFocus = host?.shadowRoot?.activeElement != null;
    if (!host) {
      host = document.createElement('div');
      host.attachShadow({ mode: 'open' }).adoptedStyleSheets = [createSheet(CSS)];
      document.body.append(host);
    }
    const bar = document.createElement('section');
    bar.setAttribute('role', 'status');
    const sentence = document.createElement('p');
    sentence.textContent = question.sentence;
    const button = (text: string, press: () => void) => {
      const made = document.createElement('button');
      made.type = 'button';
      made.textContent = text;
      made.addEventListener('click', ({ isTrusted }) => {
        if (isTrusted) press();
      });
      return made;
    };
    const start = button(question.button, question.press);
    start.className = 'primary';
    const notNow = button(words.notNow, () => {
      host?.remove();
      host = undefined;
    });
    const buttons = document.createElement('div');
    buttons.append(notNow, start);
    bar.append(sentence, buttons);
    host.shadowRoot?.replaceChildren(bar);
    if (hadFocus) start.focus();
  };
}
