/** What arguments are that a JSON Schema describes, when it stands as a literal where the tool is registered, or `as const`. */
import type { ToolDefinition } from './tool.js';

/** A schema that the compiler can read: of an object, with its properties. */
export interface LiteralSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** `{ title: string; tags?: string[] }` of `{ type: 'object', properties: …, required: ['title'] }`. What is not said is `unknown`. */
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
/** One list of members, as an editor shows it. */
type Flat<Properties, Required, All = Members<Properties, Required>> = { [Name in keyof All]: All[Name] };

/** A tool whose schema says what its functions are given. */
export type DescribedTool<Schema extends LiteralSchema> = Omit<ToolDefinition<DescribedBy<Schema>>, 'parameters'> & {
  readonly parameters: Schema;
};
