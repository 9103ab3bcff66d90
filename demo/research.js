/**
 * A research desk: what several goals need is planned first (`planning`), further steps are confirmed (`calls-per-turn="confirm-chain"`),
 * calls that share a resource wait for each other, and what was learnt is kept. All of that is `preset="orchestrated"`; the page brings the
 * tools, its own notes, and a function that turns a text into numbers so that memories are found.
 */
import { element, icon, reconcile } from './dom.js';
import { openPage } from './frame.js';
import { corpora } from './research-corpus.js';
import { createEmbed } from './research-embed.js';
import { createNotes } from './research-notes.js';
import { researchTexts } from './research-texts.js';
import { createResearchTools, FAULTS } from './research-tools.js';

const { lang, text } = openPage({
  texts: researchTexts,
  sources: [
    'research.html',
    'research.js',
    'research-tools.js',
    'research-notes.js',
    'research-corpus.js',
    'research-embed.js',
    'frame.js',
  ],
});
const notes = createNotes();

// --- The web, and what is broken in it -----------------------------------------------------------------------------------

let fault = 'none';
document.querySelector('#faults').append(
  ...FAULTS.map((name) => {
    const choice = element('input', { type: 'radio', name: 'fault', value: name, checked: name === fault });
    choice.addEventListener('change', () => (fault = name));
    return element('label', {}, choice, text.faults[name]);
  }),
);

function log(line) {
  document.querySelector('#log-empty').hidden = true;
  document.querySelector('#log').prepend(element('li', {}, `${new Date().toLocaleTimeString(lang)}  ${line}`));
}

// --- The assistant -----------------------------------------------------------------------------------------------------

const assistant = document.querySelector('#assistant');
assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.assistant);
assistant.setAttribute('placeholder', text.placeholder);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));
assistant.setAttribute('system-prompt', text.systemPrompt);

(window.toolChat ??= []).push((chat) => {
  chat.embed = createEmbed((model) => log(text.embeds(model)));
  const pages = corpora[lang === 'en' ? 'en' : 'zh'];
  for (const tool of createResearchTools({ pages, notes, fault: () => fault, log, changed: drawNotes, text })) chat.registerTool(tool);
});

// --- The notes ---------------------------------------------------------------------------------------------------------

async function drawNotes() {
  const all = await notes.all().catch(() => []);
  reconcile(document.querySelector('#notes'), all, {
    key: ({ id }) => id,
    create({ id, title, body }) {
      const drop = element('button', { class: 'drop', type: 'button', 'aria-label': text.drop(title) }, icon('trash'));
      drop.addEventListener('click', async () => {
        await notes.remove(id);
        await drawNotes();
      });
      const words = element('div', { class: 'grow' }, element('span', { class: 'name' }, title), element('span', { class: 'body' }, body));
      return element('li', {}, words, drop);
    },
    update: () => {},
  });
  document.querySelector('#count').textContent = all.length || '';
  document.querySelector('#empty').hidden = all.length > 0;
}
void drawNotes();

document.querySelector('#tricks').append(...text.trickList.map((trick) => element('li', {}, trick)));

// The trace, and everything else that can be looked at; only where somebody looks.
document.querySelector('#inspect').addEventListener('click', () => assistant.setAttribute('inspect', 'on'));
