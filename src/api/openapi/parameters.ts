/** Parameters of paths in the document. */
import type { JsonSchema } from './schemas.ts';

/** A part of the path, which is always there; `pattern` is what the operation takes. */
export const pathParameter = (name: string, description: string, example: string, pattern?: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  example,
});

/** A parameter of the query that has to be there. */
export const queryParameter = (name: string, description: string, example: string): JsonSchema => ({
  ...pathParameter(name, description, example),
  in: 'query',
});

/** The signature of a link; its example is one of no secret. */
export const signatureParameters: readonly JsonSchema[] = [
  queryParameter('k', 'Which secret signed it.', '1'),
  queryParameter('s', 'The signature.', 'c2lnbmF0dXJl'),
];
