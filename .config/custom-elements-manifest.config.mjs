/** `custom-elements.json` from the docs in the source, for editors and catalogues: what is public, and nothing else. */
export default {
  globs: ['src/elements/**/*.ts'],
  outdir: '.',
  litelement: true,
  dependencies: false,
  packagejson: false,
  plugins: [publicOnly()],
};

/** The analyzer lists `#name` and `private` members and an event without a name for each `new …Event()`; neither is of use to a reader. */
function publicOnly() {
  return {
    name: 'public-only',
    packageLinkPhase({ customElementsManifest }) {
      for (const module of customElementsManifest.modules) {
        for (const declaration of module.declarations ?? []) {
          declaration.members &&= declaration.members.filter(isPublic);
          declaration.events &&= declaration.events.filter((event) => event.name);
          if (!declaration.customElement) delete declaration.attributes;
        }
      }
      // Modules without an element (styles, helpers, event classes) would only be noise.
      customElementsManifest.modules = customElementsManifest.modules
        .filter((module) => module.declarations?.some((declaration) => declaration.customElement))
        .sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
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
