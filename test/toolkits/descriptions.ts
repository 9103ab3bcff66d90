/** Large public OpenAPI descriptions that registry packages ship. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';

const root = new URL('../../', import.meta.url);

/** By name. `github` is cut down (its package is 29 MB): see `test/fixtures/openapi/README.md`. */
export const descriptions = {
  github: 'test/fixtures/openapi/github.json.gz',
  rclone: 'node_modules/rclone-openapi/openapi.json',
  figma: 'node_modules/@figma/rest-api-spec/openapi/openapi.yaml',
  blockfrost: 'node_modules/@blockfrost/openapi/openapi.yaml',
  'star-trek': 'node_modules/@readme/oas-examples/3.0/json/star-trek.json',
  readme: 'node_modules/@readme/oas-examples/3.1/json/readme.json',
  'train-travel': 'node_modules/@readme/oas-examples/3.1/json/train-travel.json',
} as const;

export function readDescription(path: string): object {
  const bytes = readFileSync(new URL(path, root));
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return (path.endsWith('.yaml') ? parse(text) : JSON.parse(text)) as object;
}
