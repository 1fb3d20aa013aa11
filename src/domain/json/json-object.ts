/** JSON objects of others, whose members are not known. */
import { parseJsonWithin } from './json-bounds.ts';

/** A JSON object as it was parsed, whose members may be anything. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A body as the JSON object that it has to be; undefined when it is anything else. Throws TooManyValues. */
export function jsonObjectOf(body: Buffer): JsonObject | undefined {
  try {
    const value = parseJsonWithin(body);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
