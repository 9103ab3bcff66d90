/** JSON Schema (draft 2020-12) as plain data. Floor 0. */
export interface JsonSchema {
  [keyword: string]: unknown;
}
