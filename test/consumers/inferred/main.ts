/** What the functions of a tool are given follows from its schema, whoever wrote that. */
import { ToolChat } from 'tool-chat';
import { createConversation } from 'tool-chat/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

/** Compiles only when both are the same type, `any` and `unknown` included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['not the same', A, B]): void {
  // What counts is that it compiles.
}

interface Wanted {
  title: string;
  count?: number | undefined;
}

const chat = new ToolChat();
const told = { description: 'Makes a task.', risk: 'write' } as const;

chat.registerTool({
  ...told,
  name: 'from_zod',
  parameters: z.object({ title: z.string(), count: z.number().optional() }),
  describeCall: ({ title }) => title.toUpperCase(),
  execute(args) {
    same<typeof args, Wanted>();
  },
});

chat.registerTool({
  ...told,
  name: 'from_zod_default',
  parameters: z.object({ day: z.enum(['today', 'later']).default('today') }),
  execute(args) {
    same<typeof args, { day: 'today' | 'later' }>();
  },
});

chat.registerTool({
  ...told,
  name: 'from_valibot',
  parameters: toStandardJsonSchema(v.object({ title: v.string(), count: v.optional(v.number()) })),
  execute(args) {
    same<typeof args.title, string>();
    same<typeof args.count, number | undefined>();
  },
});

chat.registerTool({
  ...told,
  name: 'from_arktype',
  parameters: type({ title: 'string', 'count?': 'number', day: "'today' | 'later'" }),
  execute(args) {
    same<typeof args.title, string>();
    same<typeof args.count, number | undefined>();
    same<typeof args.day, 'today' | 'later'>();
  },
});

// JSON Schema where the tool is registered needs no `as const` …
chat.registerTool({
  ...told,
  name: 'from_literal',
  parameters: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'What to do' },
      count: { type: 'integer' },
      day: { enum: ['today', 'later'] },
      kind: { const: 'task' },
      tags: { type: 'array', items: { type: 'string' } },
      due: { type: ['string', 'null'] },
      place: { anyOf: [{ type: 'number' }, { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] }] },
      done: { type: 'boolean' },
      more: { type: 'object' },
      whatever: { description: 'No type' },
    },
    required: ['title', 'day', 'due', 'kind'],
  },
  examples: [{ title: 'Water', day: 'today', due: null, kind: 'task' }],
  describeCall: ({ title, tags = [] }) => `${title} ${tags.join()}`,
  preview: ({ title }) => [{ label: 'Title', before: '', after: title }],
  execute(args) {
    same<
      typeof args,
      {
        title: string;
        day: 'today' | 'later';
        due: string | null;
        kind: 'task';
        count?: number;
        tags?: string[];
        place?: number | { room: string };
        done?: boolean;
        more?: Record<string, unknown>;
        whatever?: unknown;
      }
    >();
  },
});

// … and elsewhere one.
const parameters = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;
createConversation({ endpoint: '/api' }).registerTool(
  {
    ...told,
    name: 'from_constant',
    parameters,
    execute(args) {
      same<typeof args, { title: string }>();
    },
  },
  { signal: AbortSignal.timeout(1) },
);

// What the page writes itself still counts, and a schema that came from elsewhere says nothing.
chat.registerTool({ ...told, name: 'own', parameters, execute: ({ title }: { title: string }) => title });
chat.registerTool({
  ...told,
  name: 'from_elsewhere',
  parameters: JSON.parse('{}') as Record<string, unknown>,
  execute(args) {
    same<typeof args, Record<string, unknown>>();
  },
});

chat.registerTool({
  ...told,
  name: 'wrong_name',
  parameters,
  // @ts-expect-error The schema has no such parameter.
  execute: ({ titel }) => String(titel),
});
chat.registerTool({
  ...told,
  name: 'wrong_name_too',
  parameters: z.object({ title: z.string() }),
  // @ts-expect-error Nor has this one.
  execute: ({ titel }) => String(titel),
});
