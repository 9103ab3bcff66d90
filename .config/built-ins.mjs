/** What a bundler puts in the place of built-ins that a page may have replaced. `folder`: where the modules are. */
import path from 'node:path';

export function ownBuiltIns(folder, ending) {
  const file = path.resolve(folder, `base/built-ins.${ending}`);
  return { 'Array.from': [file, 'arrayFrom'], 'JSON.stringify': [file, 'writeJson'] };
}
