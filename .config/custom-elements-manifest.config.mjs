import { optionRows } from './option-rows.mjs';

/** `custom-elements.json` from the docs in the source, for editors and catalogues: what is public, and nothing else. */
export default {
  globs: ['src/elements/**/*.ts', 'src/inspector/tool-chat-inspector.ts', 'src/{conversation/host/api,model/session,model/snapshot}.ts'],
  outdir: '.',
  litelement: true,
  dependencies: false,
  packagejson: false,
  plugins: [publicOnly()],
};

/**
 * What `<tool-chat>` takes over from elsewhere is listed under its own tag: state and methods of the conversation, the parts and custom
 * properties of the elements inside it. And the analyzer lists `#name` and `private` members, and an event without a name for each
 * `new …Event()`; neither is of use to a reader.
 */
function publicOnly() {
  /** Interface of the source → its members. */
  const interfaces = new Map();
  return {
    name: 'public-only',
    analyzePhase({ ts, node }) {
      if (ts.isInterfaceDeclaration(node) && LENT.has(node.name.text)) interfaces.set(node.name.text, membersOf(ts, node));
    },
    packageLinkPhase({ customElementsManifest }) {
      // Files come as the disk has them; of two that describe one name, the first in the alphabet counts.
      customElementsManifest.modules.sort((a, b) => (a.path < b.path ? -1 : 1));
      const declarations = customElementsManifest.modules.flatMap((module) => module.declarations ?? []);
      for (const declaration of declarations) {
        declaration.members &&= declaration.members.filter(isPublic);
        declaration.events &&= declaration.events.filter((event) => event.name?.includes('-'));
        if (!declaration.customElement) delete declaration.attributes;
      }
      const chat = declarations.find(({ tagName }) => tagName === 'tool-chat');
      if (!chat) return;
      lend(chat, declarations, interfaces);
      chat.members = chat.members.filter(({ name }) => !KEPT_BACK.has(name)).concat(optionRows().flatMap(fieldOf));
      chat.attributes = optionRows().flatMap(({ attribute, type, default: initial, description }) =>
        attribute ? [{ type: { text: type }, description, name: attribute, ...(initial !== undefined && { default: initial }) }] : [],
      );
      // What stands inside is no page's to use, and what of it reaches the page is listed by now.
      customElementsManifest.modules = customElementsManifest.modules.filter((module) =>
        module.declarations?.some(({ tagName }) => tagName === 'tool-chat' || tagName === 'tool-chat-inspector'),
      );
    },
  };
}

/** An option that no attribute can hold is a property. */
const fieldOf = ({ attribute, name, type, description }) =>
  attribute ? [] : [{ kind: 'field', name, type: { text: type }, ...(description && { description }) }];

/** Interfaces whose members the class takes over by its type alone. */
const LENT = new Set(['ConversationSnapshot', 'Conversation', 'ConversationDesk', 'ToolChat']);
/** Its own members can be set. */
const ELEMENT = new Set(['ToolChat']);
/** Of these, what is not a page's to use. */
const KEPT_BACK = new Set(['activities', 'dispose', 'trace', 'adoptedStyleSheets']);

function membersOf(ts, node) {
  return node.members
    .filter(ts.isMethodSignature)
    .concat(node.members.filter(ts.isPropertySignature))
    .map((member) => {
      const name = member.name.getText();
      const description = ts
        .getJSDocCommentsAndTags(member)
        .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
        .join(' ')
        .trim();
      const text = (part) => part?.getText().replace(/\s+/g, ' ');
      const told = description && { description };
      if (!ts.isMethodSignature(member))
        return { kind: 'field', name, type: { text: text(member.type) }, ...(!ELEMENT.has(node.name.text) && { readonly: true }), ...told };
      const parameters = member.parameters.map((parameter) => ({
        name: parameter.name.getText(),
        type: { text: text(parameter.type) },
        ...(parameter.questionToken && { optional: true }),
      }));
      return { kind: 'method', name, ...told, return: { type: { text: text(member.type) } }, parameters };
    });
}

function lend(chat, declarations, interfaces) {
  const options = new Set(optionRows().map(({ name }) => name));
  const known = new Set([...(chat.members?.map(({ name }) => name) ?? []), ...options]);
  for (const member of [...interfaces].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, members]) => members)) {
    if (known.has(member.name) || KEPT_BACK.has(member.name)) continue;
    known.add(member.name);
    (chat.members ??= []).push(member);
  }
  for (const list of ['cssParts', 'cssProperties']) {
    const named = new Map((chat[list] ?? []).map((each) => [each.name, each]));
    for (const declaration of declarations)
      for (const each of declaration[list] ?? []) if (!named.has(each.name)) named.set(each.name, each);
    chat[list] = [...named.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

const LIFECYCLE = new Set([
  'connectedCallback',
  'disconnectedCallback',
  'attributeChangedCallback',
  'adoptedCallback',
  'observedAttributes',
  'render',
  'willUpdate',
  'update',
  'updated',
  'firstUpdated',
  'shouldUpdate',
  'createRenderRoot',
  'styles',
  'properties',
  'shadowRootOptions',
  'formAssociated',
]);

const isPublic = (member) =>
  !member.name.startsWith('#') && !member.name.startsWith('_') && (member.privacy ?? 'public') === 'public' && !LIFECYCLE.has(member.name);
