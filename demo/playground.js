/**
 * One widget, every notation over every wire, switched while it runs. Behind each address answers the same scripted model
 * (`server/scripted.ts`); whatever is chosen, the same tools work on the list beside it.
 */
import { element, icon } from './dom.js';
import { createControls } from './playground-controls.js';
import { createExchanges } from './playground-exchanges.js';
import { createList } from './playground-list.js';
import { groups, optionsOf, readLink, snippetOf, writeLink } from './playground-options.js';
import { playgroundTexts } from './playground-texts.js';
import { pageLanguage, switchLanguage } from './page-texts.js';

const lang = pageLanguage();
const text = playgroundTexts(lang);
document.documentElement.lang = lang;
document.title = text.title;
for (const node of document.querySelectorAll('[data-text]')) node.textContent = text[node.dataset.text];
for (const node of document.querySelectorAll('[data-text-label]')) node.setAttribute('aria-label', text[node.dataset.textLabel]);
const pointToLanguage = switchLanguage(document.querySelector('#language'), lang);
document.querySelector('#new-item').placeholder = text.newItem;
document.querySelector('#find').placeholder = text.find;
document.querySelector('#home').search = `lang=${lang}`;

/** On the documentation site, which has no server, the page answers itself (`static/services.ts`). */
const { services: inPage } = document.documentElement.dataset;
const { request } = inPage ? await import(inPage) : { request: (url, init) => fetch(url, init) };
if (inPage) {
  document.querySelector('#home').href = lang === 'en' ? '../' : '../zh/';
  document.querySelector('#home span').textContent = text.backToDocs;
}

const protocols = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code', 'native', 'auto'];

/** The address of a service for each wire. `wire="auto"` recognizes the first six by their address. */
const paths = {
  cutie: '/api/ai/chat/stream',
  openai: '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/scripted:streamGenerateContent?alt=sse',
  'ui-message-stream': '/chat',
  'ag-ui': '/agent',
  text: '/text',
};
const wires = [...Object.keys(paths), 'auto'];
const services = Object.keys(paths).slice(0, 6);

/** The names of models by which `protocol="auto"` chooses a protocol. All of them are the scripted model. */
const protocolByModel = { 'scripted-json': 'json-action', 'scripted-code': 'tool-code', 'scripted-vcp': 'vcp' };
const models = ['scripted', ...Object.keys(protocolByModel)];

/** The notation that a preset is written for. */
const protocolOfPreset = { 'cutie-xml': 'xml-invoke', 'json-block': 'json-action', 'aio-vcp': 'vcp', 'semi-auto': 'json-tool-calls' };

const assistant = document.querySelector('#assistant');
const form = document.querySelector('#controls');
const find = (id) => document.querySelector(`#${id}`);
/** A service of the person's own: what stands here is in these fields, in the widget, and nowhere else. */
const own = document.querySelector('#own').elements;
/** The widget, once it has its properties and methods. */
let chat = null;
const list = createList({ text, items: document.querySelector('#items'), empty: document.querySelector('#empty'), icon, element });

// --- The controls: each is an attribute of the widget, and takes effect from the next turn -----------------------------------------------

const attributes = optionsOf(await (await fetch('./custom-elements.json')).json());
/** Beside the attributes: who answers where the widget finds out by itself. */
const options = [...attributes, { name: 'service', kind: 'choice', values: services, initial: '', description: '', group: '' }];
/** The initial settings of this page, in place of the widget's defaults. */
const first = {
  ...{ protocol: protocols[0], wire: wires[0], service: services[0], model: models[0], 'session-id': 'playground' },
  ...{ heading: text.assistant, placeholder: text.placeholder },
  ...{ 'quick-commands': text.quickCommands.join('|'), 'system-prompt': text.systemPrompt },
};
const controls = createControls({
  ...{ form, main: find('main-options'), more: find('more-options'), find: find('find'), nothing: find('nothing-found') },
  ...{ options, groups: Object.keys(groups), known: { protocol: protocols, wire: wires, model: models }, first, text },
});
const fits = (name, value) => name !== 'model' || models.includes(value);

/** The address holds what is chosen, so that it can be kept and passed on; what a service of one's own is called is not in it. */
function readAddress() {
  const asked = new URLSearchParams(location.search);
  asked.delete('lang');
  const { set, proposed, ignored } = readLink([asked.toString(), location.hash.slice(1)].filter(Boolean).join('&'), options);
  controls.reset();
  for (const [name, value] of set) {
    controls.set(name, value);
    // A select that has no such value is empty now.
    if (value !== '' && controls.value(name) !== value) {
      controls.set(name, Object.hasOwn(first, name) ? first[name] : undefined);
      ignored.push(name);
    }
  }
  find('told').textContent = ignored.length > 0 ? text.leftOut(ignored.slice(0, 5).join(text.comma)) : '';
  ask(proposed);
}

/** Options of a link beyond looks and policies: they are listed, and applied only by a press. */
function ask(proposed) {
  find('asks').hidden = proposed.size === 0;
  find('asks-words').textContent = [...proposed]
    .map(([name, value]) => (name === 'endpoint' ? text.asksEndpoint(new URL(value).host, value) : text.asksOther(name, value)))
    .join('\n');
  find('take').textContent = text.take(
    [...proposed].map(([name, value]) => (name === 'endpoint' ? new URL(value).host : name)).join(text.comma),
  );
  const done = () => {
    find('asks').hidden = true;
    find('told').tabIndex = -1;
    find('told').focus();
  };
  find('leave-out').onclick = () => {
    done();
    find('told').textContent = text.wasLeftOut;
  };
  find('take').onclick = () => {
    for (const [name, value] of proposed)
      if (name === 'endpoint') own.endpoint.value = value;
      else controls.set(name, value);
    change();
    done();
    find('told').textContent = text.wasTaken;
  };
}

function writeAddress() {
  const address = new URL(location.href);
  address.search = `?lang=${lang}`;
  const differing = [...controls.chosen()].filter(([name, value]) => !Object.hasOwn(first, name) || first[name] !== value);
  if (controls.value('wire') !== 'auto') differing.splice(0, differing.length, ...differing.filter(([name]) => name !== 'service'));
  address.hash = writeLink(differing);
  history.replaceState(null, '', address);
  pointToLanguage();
}

/** A relay is required if a preset or a policy leaves work to it. */
const needsRelay = () =>
  (controls.value('prompt-injection') || (controls.value('preset') === 'semi-auto' && 'relay')) === 'relay' ||
  (controls.value('orchestration') || (controls.value('preset') === 'orchestrated' && 'relay-gated')) === 'relay-gated';

/** The header that a service of each wire wants its key in. */
const headerOfKey = () => ({ anthropic: 'x-api-key', gemini: 'x-goog-api-key' })[controls.value('wire')] ?? 'authorization';
function ownHeaders() {
  const key = own.key.value.trim();
  if (!own.endpoint.value || !key) return {};
  return { [headerOfKey()]: headerOfKey() === 'authorization' ? `Bearer ${key}` : key };
}

function apply() {
  const chosen = controls.chosen();
  const wire = chosen.get('wire');
  const spoken = wire === 'auto' ? chosen.get('service') : wire;
  const isOwn = own.endpoint.value.trim() !== '' && own.endpoint.checkValidity();
  const endpoint = isOwn
    ? own.endpoint.value.trim()
    : spoken === 'cutie' && needsRelay()
      ? paths.cutie
      : `/api/scripted/${spoken}${paths[spoken]}`;
  chosen.set('endpoint', endpoint);
  // The relay has a model of its own, and takes no other.
  if (endpoint === paths.cutie) chosen.delete('model');
  else if (isOwn && own.model.value.trim()) chosen.set('model', own.model.value.trim());
  for (const { name } of attributes)
    if (!chosen.has(name)) assistant.removeAttribute(name);
    else if (assistant.getAttribute(name) !== chosen.get(name)) assistant.setAttribute(name, chosen.get(name));

  controls.mark();
  document.querySelector('[data-option=service]').hidden = wire !== 'auto';
  const say = (name, words) => (document.querySelector(`#option-${name}-line`).textContent = words);
  say('protocol', text.protocols[chosen.get('protocol')]);
  say('wire', text.wires[wire]);
  say('model', controls.value('protocol') === 'auto' ? text.models(protocolByModel[controls.value('model')]) : '');
  find('endpoint').textContent = endpoint;
  find('no-server').hidden = !inPage;
  find('elsewhere').hidden = !chosen.has('layout') || chosen.get('layout') === 'inline';
  const key = isOwn && own.key.value.trim() !== '' ? headerOfKey() : '';
  find('snippet').textContent = snippetOf(chosen, attributes, { tools: list.tools.slice(0, 1), key, last: Object.keys(first) });
  void showPrompt();
}

function change() {
  apply();
  writeAddress();
}

form.addEventListener('change', ({ target }) => {
  if (target.id === 'find') return;
  if (target.name === 'preset') {
    controls.set('protocol', protocolOfPreset[target.value] ?? controls.value('protocol'));
    // This one leaves them off until somebody switches them on.
    if (target.value === 'aio-vcp') controls.set('tools', 'on');
    if (needsRelay()) controls.set('wire', 'cutie');
  }
  change();
  // A conversation chooses its storage when it begins.
  if (target.name === 'storage') location.reload();
});
addEventListener('hashchange', () => {
  readAddress();
  apply();
});

find('own').addEventListener('submit', (event) => event.preventDefault());
find('own').addEventListener('input', apply);

find('reset').addEventListener('click', () => {
  const isKept = controls.value('storage') !== '';
  controls.reset();
  find('own').reset();
  change();
  find('told').textContent = text.wasReset;
  if (isKept) location.reload();
});

/** Copies, or where that is not allowed leaves the text selected. */
async function copy(words, node, said) {
  try {
    await navigator.clipboard.writeText(words);
    find('told').textContent = said;
  } catch {
    node.textContent = words;
    getSelection().selectAllChildren(node);
  }
}
find('share').addEventListener('click', () => {
  writeAddress();
  void copy(location.href, find('told'), text.linkCopied);
});
find('copy').addEventListener('click', async ({ currentTarget }) => {
  await copy(find('snippet').textContent, find('snippet'), text.codeCopied);
  currentTarget.textContent = text.copied;
  setTimeout(() => (currentTarget.textContent = text.copy), 2000);
});
// A phone has the chat first in sight.
find('settings').open = !matchMedia('(max-width: 720px)').matches;

/** Options and a message that show a policy at work. */
for (const { label, choice, say } of text.tries) {
  const button = element('button', { type: 'button', textContent: label });
  button.addEventListener('click', () => {
    const kept = ['storage', 'protocol', 'wire', 'service', 'model', 'session-id'];
    controls.reset(kept);
    for (const [name, value] of Object.entries(choice)) controls.set(name, value);
    change();
    for (const words of say) void chat?.sendMessage(words);
  });
  find('tries').append(button);
}

// --- The widget --------------------------------------------------------------------------------------------------------------------------

readAddress();
apply();

const exchanges = createExchanges({
  select: document.querySelector('#exchange'),
  request: document.querySelector('#request'),
  response: document.querySelector('#response'),
  send: request,
  text,
});

(window.toolChat ??= []).push((ready) => {
  chat = ready;
  chat.fetch = exchanges.fetch;
  chat.headers = () => ownHeaders();
  chat.protocolByModel = protocolByModel;
  chat.promptTemplates = { composer: text.templates };
  for (const tool of list.tools) chat.registerTool(tool);
  void showPrompt();
});

// Only now, for where a conversation is kept is settled when it begins.
await import('./dist/tool-chat.js');

/** The prompt under the current options, made only while it is shown. */
async function showPrompt() {
  if (!chat || !document.querySelector('#prompt-box').open) return;
  const prompt = await chat.generatePrompt();
  document.querySelector('#prompt').textContent = prompt;
}
document.querySelector('#prompt-box').addEventListener('toggle', () => void showPrompt());

/** Why each call ran, waited or was refused; only where somebody looks. */
async function showTrace() {
  if (!chat || !document.querySelector('#trace-box').open) return;
  const { trace = [] } = await chat.exportSession();
  document.querySelector('#trace').textContent = trace
    .slice(-200)
    .map((entry) => JSON.stringify(entry))
    .join('\n');
}
document.querySelector('#trace-box').addEventListener('toggle', () => void showTrace());
for (const type of ['tool-chat-state-change', 'tool-chat-tool-complete', 'tool-chat-stream-end'])
  assistant.addEventListener(type, () => void showTrace());

document.querySelector('#add').addEventListener('submit', (event) => {
  event.preventDefault();
  const { name } = event.currentTarget.elements;
  list.add(name.value.trim());
  event.currentTarget.reset();
});
