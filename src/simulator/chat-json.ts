/** A small JSON value that fits a simple JSON schema: types, required properties, enums, bounds, references. */
import { isObject, type JsonObject } from '../domain/json/json-object.ts';

/** Schemas may refer to themselves. */
const depthMax = 12;
const itemsMax = 20;
const charactersMax = 1000;

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  duration: 'PT1S',
  email: 'simulator@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** A value for the schema: always the same, with no more than it requires. Patterns are not looked at. */
export function jsonSample(schema: unknown): unknown {
  return sampleOf(schema, schema, 0);
}

function sampleOf(schema: unknown, root: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > depthMax) return null;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return (schema['enum'] as readonly unknown[])[0] ?? null;
  if ('default' in schema) return schema['default'];
  if (typeof schema['$ref'] === 'string') return sampleOf(referenced(root, schema['$ref']), root, depth + 1);
  for (const choice of ['anyOf', 'oneOf']) {
    const options = schema[choice];
    if (Array.isArray(options)) return sampleOf((options as readonly unknown[])[0], root, depth + 1);
  }
  if (Array.isArray(schema['allOf'])) return sampleOf(merged(schema, root), root, depth + 1);
  switch (typeOf(schema)) {
    case 'object':
      return objectSample(schema, root, depth);
    case 'array':
      return Array.from({ length: Math.min(itemsMax, countIn(schema['minItems'])) }, () =>
        sampleOf(schema['items'], root, depth + 1),
      );
    case 'string':
      return stringSample(schema);
    case 'integer':
      return Math.ceil(leastNumber(schema, 1));
    case 'number':
      return leastNumber(schema, 0.5);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function objectSample(schema: JsonObject, root: unknown, depth: number): unknown {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly unknown[]) : [];
  const names = required.filter((name): name is string => typeof name === 'string');
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name], root, depth + 1)]));
}

function stringSample(schema: JsonObject): string {
  const format = typeof schema['format'] === 'string' ? formats[schema['format']] : undefined;
  const text = format ?? 'simulated';
  const atLeast = text.padEnd(Math.min(charactersMax, countIn(schema['minLength'])), '.');
  const max = schema['maxLength'];
  return typeof max === 'number' ? atLeast.slice(0, max) : atLeast;
}

function leastNumber(schema: JsonObject, step: number): number {
  const { minimum, exclusiveMinimum, maximum, multipleOf } = schema as Record<string, unknown>;
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + step;
  if (typeof multipleOf === 'number') return multipleOf;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

function typeOf(schema: JsonObject): unknown {
  const { type } = schema as { type?: unknown };
  if (Array.isArray(type)) return (type as readonly unknown[]).find((one) => one !== 'null') ?? 'null';
  return type ?? ('properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string');
}

function merged(schema: JsonObject, root: unknown): JsonObject {
  const { allOf, ...rest } = schema;
  const parts = (Array.isArray(allOf) ? allOf : []).map((part: unknown) =>
    isObject(part) && typeof part['$ref'] === 'string' ? referenced(root, part['$ref']) : part,
  );
  const whole: Record<string, unknown> = { type: 'object', ...rest };
  const properties: Record<string, unknown> = {};
  const required: unknown[] = [];
  for (const part of [...parts, rest]) {
    if (!isObject(part)) continue;
    Object.assign(whole, part);
    if (isObject(part['properties'])) Object.assign(properties, part['properties']);
    if (Array.isArray(part['required'])) required.push(...(part['required'] as readonly unknown[]));
  }
  return { ...whole, properties, required };
}

/** A reference within the schema, such as `#/$defs/place`. */
function referenced(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    if (!isObject(value)) return undefined;
    value = value[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

const countIn = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0);
