/** What the document says of a form: its files, and its fields from the schema that reads them. */
import * as z from 'zod';
import { inline, type JsonSchema, type Words } from './schemas.ts';

interface FormFacts<Shape extends z.ZodRawShape> {
  /** By their names. */
  files: Readonly<Record<string, JsonSchema>>;
  /** Those that have to be there. */
  required: readonly string[];
  fields: z.ZodObject<Shape>;
  words: Words<Shape>;
  example: JsonSchema;
  /** The media types of files. */
  encoding?: Readonly<Record<string, JsonSchema>>;
}

/** A field of a form is there or not: it can't be null, as in JSON. */
export function formContent<Shape extends z.ZodRawShape>(facts: FormFacts<Shape>): JsonSchema {
  const { properties, required = [] } = shape.parse(inline(facts.fields));
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, { ...withoutNull(schema), ...describedBy(facts.words, name) }] as const,
  );
  return {
    schema: {
      type: 'object',
      required: [...facts.required, ...required],
      properties: { ...facts.files, ...Object.fromEntries(fields) },
    },
    example: facts.example,
    ...(facts.encoding && { encoding: facts.encoding }),
  };
}

/** A file of a form. */
export const fileSchema = (description: string): JsonSchema => ({ type: 'string', format: 'binary', description });

const shape = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  required: z.array(z.string()).optional(),
});

const nullable = z.object({ anyOf: z.array(z.record(z.string(), z.unknown())) });

function withoutNull(schema: JsonSchema): JsonSchema {
  const [only, ...others] = (nullable.safeParse(schema).data?.anyOf ?? []).filter(({ type }) => type !== 'null');
  return only && others.length === 0 ? only : schema;
}

function describedBy(words: Readonly<Record<string, string | undefined>>, name: string): JsonSchema {
  const description = words[name];
  return description === undefined ? {} : { description };
}
