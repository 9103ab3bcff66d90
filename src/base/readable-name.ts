/**
 * Returns the name of a tool without a label for a sentence: `delete_task` and `deleteTask` become "Delete task". A name with a blank is a
 * label and stays.
 */
export function readableName(name: string): string {
  if (!/^[\w-]+$/.test(name)) return name;
  const words = name.replace(/([a-z\d])([A-Z])(?![A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  const text = words.replace(/[_-]+/g, ' ').trim() || name;
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
