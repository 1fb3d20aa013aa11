/** The named schemas of the document. They are zod's: of requests the very ones that bodies are parsed with. */
import * as z from 'zod';

/** A piece of JSON Schema, or a reference to a named one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Named = z.core.$ZodRegistry<{ id: string }>;
const requests: Named = z.registry<{ id: string }>();
const answers: Named = z.registry<{ id: string }>();
const words = z.record(z.string(), z.string());
const fieldWords = new Map<string, Readonly<Record<string, string>>>();

const addressOf = (id: string): string => `#/components/schemas/${id}`;
const refTo = (id: string): JsonSchema => ({ $ref: addressOf(id) });

/** What a reader should know of each field. */
export type Words<Shape> = Readonly<Partial<Record<keyof Shape & string, string>>>;

/** Names the schema of a request, with a word on its fields, and returns the reference to it. */
export function request<Shape extends z.ZodRawShape>(
  id: string,
  schema: z.ZodObject<Shape>,
  fields?: Words<Shape>,
): JsonSchema {
  requests.add(schema, { id });
  fieldWords.set(id, words.parse(fields ?? {}));
  return refTo(id);
}

/** Names the schema of an answer: wherever it is part of another one, that one refers to it. */
export function answer<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  answers.add(schema, { id });
  return schema;
}

/** The name of an answer's schema. Throws where it has none. */
export function nameOf(schema: z.ZodType): string {
  const id = answers.get(schema)?.id;
  if (id === undefined) throw new TypeError('this schema has no name');
  return id;
}

/** The reference to an answer's schema that was named. Throws for any other. */
export const refOf = (schema: z.ZodType): JsonSchema => refTo(nameOf(schema));

/** A page of records as lists answer them. */
export const listOfRecords = <Schema extends z.ZodType>(id: string, record: Schema) =>
  answer(
    id,
    z.strictObject({
      object: z.literal('list'),
      data: z.array(record),
      has_more: z.boolean(),
      next_cursor: z.string().nullable().describe('Send it as `cursor` to get the next page; null on the last page.'),
    }),
  );

/** All schemas that were named, for `components.schemas`. */
export function namedSchemas(): Record<string, JsonSchema> {
  const ofRequests = z.toJSONSchema(requests, { io: 'input', unrepresentable: 'any', uri: addressOf }).schemas;
  const ofAnswers = z.toJSONSchema(answers, { io: 'output', uri: addressOf }).schemas;
  return Object.fromEntries([
    ...Object.entries(ofRequests).map(
      ([id, schema]) => [id, withWords(bare(schema), fieldWords.get(id) ?? {})] as const,
    ),
    ...Object.entries(ofAnswers).map(([id, schema]) => [id, bare(schema)] as const),
  ]);
}

/** The JSON Schema of a zod schema that has no name, as it is written by callers. */
export const inline = (schema: z.core.$ZodType): JsonSchema =>
  bare(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

/** Components are found by their place in the document: neither dialect nor id is repeated in each. */
function bare(schema: object): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$schema' && keyword !== '$id'));
}

const properties = z.record(z.string(), z.record(z.string(), z.unknown()));

function withWords(schema: JsonSchema, texts: Readonly<Record<string, string>>): JsonSchema {
  const fields = Object.entries(properties.parse(schema['properties']));
  const described = fields.map(([name, field]) => [
    name,
    texts[name] === undefined ? field : { ...field, description: texts[name] },
  ]);
  return { ...schema, properties: Object.fromEntries(described) };
}
