/** What a page pays for a field in an element of its own, whatever draws it. */
customElements.define(
  'empty-element',
  class extends HTMLElement {
    connectedCallback() {
      this.attachShadow({ mode: 'open' }).append(document.createElement('textarea'), document.createElement('button'));
    }
  },
);
