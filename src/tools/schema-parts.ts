/** Looks inside a schema: what it is combined of, and what it declares for one parameter. */
import { followReference, type JsonSchema } from '../json-schema.js';
import { isObject, own } from '../objects.js';

/** The schema itself and all that it is combined of, references followed, each once. */
export function flatten(schema: unknown, root: JsonSchema): JsonSchema[] {
  const seen = new Set<JsonSchema>();
  const visit = (node: unknown) => {
    if (!isObject(node) || seen.has(node)) return;
    seen.add(node);
    const { $ref, allOf, anyOf, oneOf } = node;
    if (typeof $ref === 'string') visit(followReference($ref, root));
    [allOf, anyOf, oneOf, node['then'], node['else']].flat().forEach(visit);
  };
  visit(schema);
  return [...seen];
}

/** What is declared for one parameter: several where the root is a union; none where it is unknown. */
export function parameterSchemas(root: JsonSchema, name: string): JsonSchema[] {
  return flatten(root, root).flatMap(({ properties }) => flatten(own(properties, name), root));
}

/** A name that the schema does not know, unless it is open to others (`additionalProperties`, `patternProperties`). */
export function unknownParameter(root: JsonSchema, args: object): string | undefined {
  const parts = flatten(root, root);
  const open = parts.some(
    ({ additionalProperties: more, patternProperties, unevaluatedProperties }) =>
      more === true || isObject(more) || isObject(patternProperties) || unevaluatedProperties === true,
  );
  return open ? undefined : Object.keys(args).find((name) => parts.every(({ properties }) => own(properties, name) === undefined));
}
