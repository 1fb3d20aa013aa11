/** Server-sent events in the document, which has no word of its own for them before OpenAPI 3.2. */
import type { JsonSchema } from './schemas.ts';

/** A stream, by what each of its events is (OpenAPI 3.2 calls that `itemSchema`). */
export const streamed = (data: JsonSchema, example: string): JsonSchema => ({
  schema: {
    description: 'One event of the stream.',
    type: 'object',
    required: ['data'],
    properties: { event: { type: 'string' }, data },
  },
  example,
});
/** The data of an event, as one of these. */
export const jsonEvent = (...schemas: JsonSchema[]): JsonSchema => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
});
