/** Creates the check for a schema. A module apart from `check-schema.ts`, because checks without the library load nothing. */
import { load } from '../base/load.js';
import type { JsonSchema } from '../model/json-schema.js';
import { schemaCheck, type SchemaCheck } from './check-schema.js';

const NEEDS_LIBRARY = /"(?:\$(?:recursiveR|dynamicR|r)ef|format)":(?!"int64")/;

/** Loads the library if the schema needs it. */
export async function openSchema(root: JsonSchema): Promise<SchemaCheck> {
  return schemaCheck(root, NEEDS_LIBRARY.test(JSON.stringify(root)) ? await load(() => import('./schema-library.js')) : undefined);
}
