/** What the vendor's three forms read alike. */
import * as z from 'zod';
import { type JsonObject, jsonObjectOf } from '../../../src/domain/json/json-object.ts';

/** A text, or parts of which some have one. */
export const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]);

export const textOf = (said: z.infer<typeof content> | null | undefined): string =>
  typeof said === 'string' ? said : (said ?? []).map(({ text }) => text ?? '').join('\n');

const schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }).optional();

/** The names of a tool's arguments. */
export const propertiesOf = (parameters: unknown): string[] => Object.keys(schema.parse(parameters)?.properties ?? {});

/** Empty where the arguments are no object. */
export const inputOf = (text: string): JsonObject => jsonObjectOf(Buffer.from(text)) ?? {};

/** Arguments come in two pieces, so that the agent gets none of them whole before the end. */
export const halvesOf = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
