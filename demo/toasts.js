/** Short notes at the bottom of the page, one at a time, each with at most one thing to do about it. */
import { element, icon } from './dom.js';

const SHOWN_MS = 7000;

/** @param {HTMLElement} place a live region @param {{ dismiss: string }} text */
export function createToasts(place, text) {
  let timer = 0;
  let current = '';

  function hide() {
    clearTimeout(timer);
    current = '';
    place.replaceChildren();
  }

  return {
    /** @param {string} message @param {{ label: string, run: () => void }} [action] */
    show(message, action) {
      // The same trouble again and again is one note that stays.
      if (message !== current) {
        const button = action && element('button', { type: 'button', class: 'toast-action' }, action.label);
        button?.addEventListener('click', () => {
          hide();
          action.run();
        });
        const close = element('button', { type: 'button', class: 'toast-close', 'aria-label': text.dismiss, onclick: hide }, icon('close'));
        place.replaceChildren(element('div', { class: 'toast' }, element('span', {}, message), button ?? null, close));
        current = message;
      }
      clearTimeout(timer);
      timer = setTimeout(hide, SHOWN_MS);
    },
  };
}
