/**
 * One widget, every notation over every wire, switched while it runs. Behind each address answers the same scripted model
 * (`server/scripted.ts`); whatever is chosen, the same three tools work on the list beside it.
 */
import { element, icon } from './dom.js';
import { createExchanges } from './playground-exchanges.js';
import { createList } from './playground-list.js';
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
document.querySelector('#home').search = `lang=${lang}`;

const protocols = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code', 'native', 'auto'];

/** Where a service of each wire answers. By the first six addresses `wire="auto"` knows what it talks to. */
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

/** What `protocol="auto"` goes by: which notation a model is best at. All of them are the scripted model. */
const protocolByModel = { 'scripted-json': 'json-action', 'scripted-code': 'tool-code', 'scripted-vcp': 'vcp' };
const models = ['scripted', ...Object.keys(protocolByModel)];

/** How a turn goes: attributes of the widget, the default of each first. `docs/policies.md` says what they mean. */
const policies = {
  approval: ['by-risk', 'auto', 'always', 'user-run'],
  'approval-ui': ['inline', 'dialog'],
  'calls-per-turn': ['many', 'one', 'confirm-chain'],
  execution: ['serial', 'parallel', 'by-resource'],
  planning: ['off', 'threshold'],
  memory: ['window', 'full', 'layered'],
  storage: ['none', 'session', 'indexeddb'],
  degrade: ['auto', 'ask', 'off'],
  'composer-while-busy': ['draft', 'queue', 'disabled'],
};

const assistant = document.querySelector('#assistant');
const controls = document.querySelector('#controls');
const { protocol, wire, service, model, stream } = controls.elements;
/** The widget, once it has its properties and methods. */
let chat = null;
const list = createList({ text, items: document.querySelector('#items'), empty: document.querySelector('#empty'), icon, element });

// --- The controls: each is an attribute of the widget, and takes effect from the next turn -----------------------------------------------

const fill = (select, values) => select.append(...values.map((value) => element('option', { value, textContent: value })));
fill(protocol, protocols);
fill(wire, wires);
fill(service, services);
fill(model, models);
for (const [name, values] of Object.entries(policies)) {
  const select = element('select', { name });
  fill(select, values);
  document.querySelector('#policies').append(element('label', { class: 'field' }, element('span', {}, text.policy[name]), select));
}
const chosenPolicies = () => Object.keys(policies).map((name) => [name, controls.elements[name].value]);

/** The address holds what is chosen, so that it can be kept and passed on. */
function readAddress() {
  const chosen = new URLSearchParams(location.search);
  for (const [select, values] of [
    [protocol, protocols],
    [wire, wires],
    [service, services],
    [model, models],
  ])
    select.value = values.includes(chosen.get(select.name)) ? chosen.get(select.name) : values[0];
  stream.checked = chosen.get('stream') !== 'off';
  for (const [name, values] of Object.entries(policies)) {
    const value = chosen.get(name);
    if (!values.includes(value)) continue;
    controls.elements[name].value = value;
    document.querySelector('#policies').open = true;
  }
}

function writeAddress() {
  const address = new URL(location.href);
  for (const { name, value } of [protocol, wire, model]) address.searchParams.set(name, value);
  address.searchParams.set('stream', stream.checked ? 'on' : 'off');
  if (wire.value === 'auto') address.searchParams.set('service', service.value);
  else address.searchParams.delete('service');
  for (const [name, value] of chosenPolicies()) {
    if (value === policies[name][0]) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  history.replaceState(null, '', address);
  pointToLanguage();
}

function apply() {
  const spoken = wire.value === 'auto' ? service.value : wire.value;
  const endpoint = `/api/scripted/${spoken}${paths[spoken]}`;
  assistant.setAttribute('protocol', protocol.value);
  assistant.setAttribute('wire', wire.value);
  assistant.setAttribute('model', model.value);
  assistant.setAttribute('stream', stream.checked ? 'on' : 'off');
  assistant.setAttribute('endpoint', endpoint);
  for (const [name, value] of chosenPolicies()) assistant.setAttribute(name, value);

  document.querySelector('#service-field').hidden = wire.value !== 'auto';
  document.querySelector('#protocol-note').textContent = text.protocols[protocol.value];
  document.querySelector('#wire-note').textContent = text.wires[wire.value];
  document.querySelector('#model-note').textContent = protocol.value === 'auto' ? text.models(protocolByModel[model.value]) : '';
  document.querySelector('#endpoint').textContent = endpoint;
  void showPrompt();
}

controls.addEventListener('submit', (event) => event.preventDefault());
controls.addEventListener('change', ({ target }) => {
  apply();
  writeAddress();
  // Where a conversation is kept is settled when it begins.
  if (target.name === 'storage') location.reload();
});

// --- The widget --------------------------------------------------------------------------------------------------------------------------

assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.assistant);
assistant.setAttribute('placeholder', text.placeholder);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));
assistant.setAttribute('system-prompt', text.systemPrompt);
readAddress();
apply();

const exchanges = createExchanges({
  select: document.querySelector('#exchange'),
  request: document.querySelector('#request'),
  response: document.querySelector('#response'),
  text,
});

(window.toolChat ??= []).push((ready) => {
  chat = ready;
  chat.fetch = exchanges.fetch;
  chat.protocolByModel = protocolByModel;
  for (const tool of list.tools) chat.registerTool(tool);
  void showPrompt();
});

/** What the model is told with the present choice; only where somebody looks. */
async function showPrompt() {
  if (!chat || !document.querySelector('#prompt-box').open) return;
  const prompt = await chat.generatePrompt();
  document.querySelector('#prompt').textContent = prompt;
}
document.querySelector('#prompt-box').addEventListener('toggle', () => void showPrompt());

document.querySelector('#add').addEventListener('submit', (event) => {
  event.preventDefault();
  const { name } = event.currentTarget.elements;
  list.add(name.value.trim());
  event.currentTarget.reset();
});
