/** Each page of the inspector, of one chat with a few tools and a call that waits. */
import { testerTexts, testerTools } from './tester-tools.js';

export const inspectorPages = ['tools', 'prompt', 'bench', 'run', 'chart', 'trace', 'decisions', 'session'].map((tab) => ({
  id: `inspector-${tab}`,
  tab,
  title: `Inspector: ${tab}`,
}));

const REPLY =
  'One moment, I add it.\n<tool_use>\n<invoke name="add_note">\n<parameter name="note">Milk & rice</parameter>\n</invoke>\n</tool_use>\n<tool_use><invoke name="cut">';

/** @returns a figure for each of these pages */
export function drawInspectors(pages, { lang, theme }) {
  if (pages.length === 0) return [];
  const chat = document.createElement('tool-chat');
  Object.assign(chat, { hidden: true, lang, theme });
  const text = testerTexts(lang);
  const { tools, calendar } = testerTools(text);
  for (const tool of tools) chat.registerTool(tool);
  chat.registerTools(calendar);
  const inspectors = pages.map(({ tab }) => Object.assign(document.createElement('tool-chat-inspector'), { chat, tab }));
  document.body.append(chat);
  chat.setAttribute('inspect', '');
  void play(chat, inspectors, text);
  return pages.map(({ id, title }, at) => {
    const figure = document.createElement('figure');
    figure.dataset.state = id;
    const caption = Object.assign(document.createElement('figcaption'), { textContent: title });
    const frame = document.createElement('div');
    frame.className = 'frame';
    frame.append(inspectors[at]);
    figure.append(caption, frame);
    return figure;
  });
}

async function play(chat, inspectors, text) {
  const run = (name, params) => chat.executeToolManually({ type: 'tool_use', name, params, partial: false });
  await run('list_notes', {});
  void run('remove_note', { note: text.notes[1] });
  for (let tries = 0; tries < 200; tries += 1) {
    for (const { shadowRoot } of inspectors) {
      const bench = shadowRoot?.querySelector('tool-chat-inspector-bench');
      if (bench) bench.reply ||= REPLY;
    }
    await new Promise(requestAnimationFrame);
  }
}
