/** JSON bodies of requests: how they are read, and what the document says of them. */
import type * as z from 'zod';
import { namesOf } from '../body/json-names.ts';
import type { Examples, GatewayFacts, RequestBody } from '../public-operation.ts';
import { type JsonSchema, request, type Words } from './schemas.ts';

interface JsonBodyFacts<Shape> {
  /** What a reader should know of each field. */
  words?: Words<Shape>;
  /** Bodies that work as they are. */
  shown: (facts: GatewayFacts) => { example: JsonSchema } | { examples: Examples };
  /** Whose names may not appear in another case, if not the schema's own. */
  names?: z.ZodObject;
}

/** What the document says of a body of this schema, which it names. */
export function jsonContent<Shape extends z.ZodRawShape>(
  id: string,
  schema: z.ZodObject<Shape>,
  { words, shown }: Omit<JsonBodyFacts<Shape>, 'names'>,
): RequestBody<unknown>['content'] {
  const ref = request(id, schema, words);
  return (facts) => ({ 'application/json': { schema: ref, ...shown(facts) } });
}

/** The same of a body that is read before the handler is called, which is given the JSON unless there is a `parse`. */
export const jsonBody = <Shape extends z.ZodRawShape>(
  id: string,
  schema: z.ZodObject<Shape>,
  { names = schema, ...facts }: JsonBodyFacts<Shape>,
) => ({ content: jsonContent(id, schema, facts), json: { names: namesOf(names) } });
