/** What the pages of this folder that have no TypeScript register. */
export const rename = {
  name: 'rename',
  description: 'Renames the page.',
  risk: 'danger',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute({ title }) {
    document.title = title;
    return `Renamed to ${title}`;
  },
};
