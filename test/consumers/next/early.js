/** Runs before the element is known: a page's own script sets what it likes on the tag that stands there. */
const tag = document.querySelector('tool-chat');
window.first = { tag, known: customElements.get('tool-chat') !== undefined, complaints: [] };
const { error } = console;
console.error = (...given) => {
  window.first.complaints.push(given.map(String).join(' '));
  error(...given);
};
tag.maxTokens = 321;
tag.memory = 'full';
tag.lang = 'de';
if (tag.dataset.plain !== undefined) {
  tag.context = { user: 'Ada' };
  tag.decide = () => 'allow';
  tag.addEventListener('tool-chat-tool-complete', ({ result }) => {
    document.querySelector('output').textContent = result.message;
  });
}
