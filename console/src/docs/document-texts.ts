/** The texts of an OpenAPI document that describe something: descriptions, and the names of examples. */
import { isRecord, type JsonRecord, recordOf } from '../parts/json.ts';

type Change = (text: string) => string;

/** What holds values of callers, and no texts of ours. */
const values = new Set(['example', 'default', 'const', 'enum']);
/** Whose members are named by fields, statuses or types: one called `description` is no text. */
const maps = new Set(['properties', 'headers', 'responses', 'content', 'schemas', 'parameters']);

/** The document with other texts. Its introduction, its groups and its operations' names stay: the page has them by their ids. */
export function withTexts(document: JsonRecord, change: Change): JsonRecord {
  const { paths, webhooks, components } = document;
  const { securitySchemes, ...shown } = recordOf(components);
  return {
    ...document,
    paths: changed(paths, change, true),
    webhooks: changed(webhooks, change, true),
    components: { securitySchemes, ...recordOf(changed(shown, change, false)) },
  };
}

function changed(value: unknown, change: Change, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => changed(item, change, false));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (isMap) return [name, changed(member, change, false)];
    if (name === 'description' && typeof member === 'string') return [name, change(member)];
    if (name === 'examples' && isRecord(member)) return [name, withSummaries(member, change)];
    return [name, values.has(name) ? member : changed(member, change, maps.has(name))];
  });
  return Object.fromEntries(members);
}

const withSummaries = (examples: JsonRecord, change: Change): JsonRecord =>
  Object.fromEntries(
    Object.entries(examples).map(([name, example]) => {
      const { summary, ...others } = recordOf(example);
      return [name, typeof summary === 'string' ? { ...others, summary: change(summary) } : example];
    }),
  );
