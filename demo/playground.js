/**
 * One widget, every notation over every wire, switched while it runs. Behind each address answers the same scripted model
 * (`server/scripted.ts`); whatever is chosen, the same tools work on the list beside it.
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

/** How a turn goes: attributes of the widget. What is not chosen is the preset's. `docs/policies.md` says what they mean. */
const policies = {
  preset: ['balanced', 'cutie-xml', 'json-block', 'aio-vcp', 'semi-auto', 'orchestrated'],
  approval: ['by-risk', 'auto', 'always', 'user-run'],
  'approval-ui': ['inline', 'dialog'],
  'calls-per-turn': ['many', 'one', 'confirm-chain'],
  'confirm-via': ['buttons', 'keyword', 'both'],
  'on-deny': ['feed-back', 'stop'],
  execution: ['serial', 'parallel', 'by-resource'],
  dispatch: ['on-turn-end', 'on-block'],
  'after-call': ['continue', 'stop-stream'],
  'parse-mode': ['stream', 'complete'],
  accept: ['active', 'any'],
  coercion: ['schema', 'pattern', 'none'],
  'on-broken-call': ['repair', 'report', 'skip'],
  'result-loop': ['multi', 'single'],
  'result-role': ['user-envelope', 'tool'],
  'prompt-injection': ['client', 'relay', 'off'],
  planning: ['off', 'threshold'],
  memory: ['window', 'full', 'layered'],
  storage: ['none', 'session', 'indexeddb'],
  degrade: ['auto', 'ask', 'off'],
  'composer-while-busy': ['draft', 'queue', 'disabled'],
};
/** The notation that a preset is written for. */
const protocolOfPreset = { 'cutie-xml': 'xml-invoke', 'json-block': 'json-action', 'aio-vcp': 'vcp', 'semi-auto': 'json-tool-calls' };

const assistant = document.querySelector('#assistant');
const controls = document.querySelector('#controls');
const { protocol, wire, service, model, stream } = controls.elements;
/** A service of the person's own: what stands here is in these fields, in the widget, and nowhere else. */
const own = document.querySelector('#own').elements;
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
  if (name !== 'preset') select.append(element('option', { value: '', textContent: text.byPreset }));
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
    if (value === '' || value === 'balanced') address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  history.replaceState(null, '', address);
  pointToLanguage();
}

/** Where a preset leaves the prompt to the relay, there has to be one. */
const needsRelay = () => (controls.elements['prompt-injection'].value || (policyOf('preset') === 'semi-auto' && 'relay')) === 'relay';
const policyOf = (name) => controls.elements[name].value;

function ownHeaders() {
  const key = own.key.value.trim();
  if (!own.endpoint.value || !key) return {};
  if (wire.value === 'anthropic') return { 'x-api-key': key };
  return wire.value === 'gemini' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` };
}

function apply() {
  const spoken = wire.value === 'auto' ? service.value : wire.value;
  const isOwn = own.endpoint.value.trim() !== '' && own.endpoint.checkValidity();
  const endpoint = isOwn
    ? own.endpoint.value.trim()
    : spoken === 'cutie' && needsRelay()
      ? paths.cutie
      : `/api/scripted/${spoken}${paths[spoken]}`;
  assistant.setAttribute('protocol', protocol.value);
  assistant.setAttribute('wire', wire.value);
  // The relay has a model of its own, and takes no other.
  if (endpoint === paths.cutie) assistant.removeAttribute('model');
  else assistant.setAttribute('model', (isOwn && own.model.value.trim()) || model.value);
  assistant.setAttribute('stream', stream.checked ? 'on' : 'off');
  assistant.setAttribute('endpoint', endpoint);
  // A preset may leave them off until somebody switches them on, or want a gate in the relay that this one has not.
  assistant.setAttribute('tools', 'on');
  assistant.setAttribute('orchestration', 'client');
  for (const [name, value] of chosenPolicies())
    if (value) assistant.setAttribute(name, value);
    else assistant.removeAttribute(name);

  document.querySelector('#service-field').hidden = wire.value !== 'auto';
  document.querySelector('#protocol-note').textContent = text.protocols[protocol.value];
  document.querySelector('#wire-note').textContent = text.wires[wire.value];
  document.querySelector('#model-note').textContent = protocol.value === 'auto' ? text.models(protocolByModel[model.value]) : '';
  document.querySelector('#endpoint').textContent = endpoint;
  void showPrompt();
}

controls.addEventListener('submit', (event) => event.preventDefault());
controls.addEventListener('change', ({ target }) => {
  if (target.name === 'preset') {
    protocol.value = protocolOfPreset[target.value] ?? protocol.value;
    if (needsRelay()) wire.value = 'cutie';
  }
  apply();
  writeAddress();
  // Where a conversation is kept is settled when it begins.
  if (target.name === 'storage') location.reload();
});

document.querySelector('#own').addEventListener('submit', (event) => event.preventDefault());
document.querySelector('#own').addEventListener('input', apply);

/** What is chosen and said to see a policy at work. */
for (const { label, choice, say } of text.tries) {
  const button = element('button', { type: 'button', textContent: label });
  button.addEventListener('click', () => {
    for (const name of Object.keys(policies)) if (name !== 'storage') controls.elements[name].value = name === 'preset' ? 'balanced' : '';
    for (const [name, value] of Object.entries(choice)) controls.elements[name].value = value;
    apply();
    writeAddress();
    for (const words of say) void chat?.sendMessage(words);
  });
  document.querySelector('#tries').append(button);
}

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
  chat.headers = () => ownHeaders();
  chat.protocolByModel = protocolByModel;
  chat.promptTemplates = { composer: text.templates };
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
