/** The type of the arguments that a JSON Schema describes, if the schema is a literal in the tool's registration, or `as const`. */
import type { ToolDefinition } from './tool.js';

/** A schema that the compiler can read: an object with its properties. */
export interface LiteralSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/**
 * Maps a schema to a type: `{ type: 'object', properties: …, required: ['title'] }` gives `{ title: string; tags?: string[] }`. Anything
 * undeclared is `unknown`.
 */
export type DescribedBy<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
      ? DescribedBy<One>
      : Schema extends { readonly type: infer Type }
        ? OfType<Type extends readonly (infer One)[] ? One : Type, Schema>
        : unknown;

type OfType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Item }
            ? DescribedBy<Item>[]
            : unknown[]
          : Type extends 'object'
            ? Schema extends { readonly properties: infer Properties }
              ? Flat<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
              : Record<string, unknown>
            : unknown;

type Members<Properties, Required> = { -readonly [Name in keyof Properties as Name & Required]: DescribedBy<Properties[Name]> } & {
  -readonly [Name in Exclude<keyof Properties, Required>]?: DescribedBy<Properties[Name]>;
};
/** Flattens the intersection into one object type, which editors show better. */
type Flat<Properties, Required, All = Members<Properties, Required>> = { [Name in keyof All]: All[Name] };

/** A tool whose functions get their argument type from its schema. */
export type DescribedTool<Schema extends LiteralSchema> = Omit<ToolDefinition<DescribedBy<Schema>>, 'parameters'> & {
  readonly parameters: Schema;
};
