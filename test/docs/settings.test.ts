/** `docs/settings.md` has every setting of the environment and every key of `tollgate.yaml`, and no other. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { providerKinds } from '../../src/providers/registry.ts';
import { settingDefaults } from '../../src/config/environment.ts';
import { configurationSchema } from '../../src/config/yaml-schema.ts';
import { allPages, codesIn, differences, pageAt, type Table, tablesOf } from './pages.ts';

const page = pageAt('docs/settings.md');
const tables = tablesOf(page);

/** The rows of all tables that begin with this column: name to cells. */
function rowsOf(first: string): [string, readonly string[]][] {
  const rows = tables.filter(({ head }) => head[0] === first).flatMap((table: Table) => table.rows);
  return rows.map((cells) => [codesIn(cells[0] ?? '')[0] ?? '', cells]);
}

/** Read by commands and tests, and no settings of a gateway. */
const others = ['TOLLGATE_API_KEY'];
const ofTests = ['TOLLGATE_SCREENSHOTS', 'TOLLGATE_TEST_RERUN', 'TOLLGATE_TEST_AT_ONCE'];
/** Of the compose file, and of Temporal's UI. */
const ofContainers = [
  'TOLLGATE_DB_PASSWORD',
  'TEMPORAL_DB_PASSWORD',
  'TOLLGATE_CONFIG_FOLDER',
  'TEMPORAL_CODEC_ENDPOINT',
];

describe('settings of the environment', () => {
  const rows = rowsOf('setting');

  test('each has a row, and each row is one', () => {
    const names = rows.map(([name]) => name);
    assert.deepEqual(differences(page.path, names, [...settingDefaults.keys(), ...others]), []);
  });

  test('each row has the default', () => {
    const wrong = rows.flatMap(([name, [, written = '']]) => {
      const real = settingDefaults.get(name);
      const [reported] = codesIn(written);
      return real === undefined || reported === real
        ? []
        : [`${page.path}: ${name} is ${real} when unset, not ${written}`];
    });
    assert.deepEqual(wrong, []);
  });
});

test('every setting that a page names is one', () => {
  const known = new Set([...settingDefaults.keys(), ...others, ...ofTests, ...ofContainers]);
  const wrong = allPages().flatMap(({ path, text }) => {
    const named = text.match(/\b(?:TOLLGATE|TEMPORAL|S3|OTEL)_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [];
    return [...new Set(named)].filter((name) => !known.has(name)).map((name) => `${path} names ${name}`);
  });
  assert.deepEqual(wrong, []);
});

/** What a schema of JSON says of a key. */
const keySchema = z.looseObject({
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  const: z.string().optional(),
  type: z.unknown().optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  oneOf: z.array(z.unknown()).optional(),
});
type KeySchema = z.output<typeof keySchema>;

describe('keys of tollgate.yaml', () => {
  const rows = rowsOf('key');
  const keys = keysOf();

  test('each has a row, and each row is one', () => {
    const names = rows.map(([name]) => name);
    assert.deepEqual(differences(page.path, names, [...keys.keys()]), []);
  });

  test('each row has the default, the bounds and the choices', () => {
    const wrong = rows.flatMap(([name, cells]) => {
      const reported = new Set(cells.slice(1).flatMap(codesIn));
      return factsOf(keys.get(name) ?? []).flatMap((fact) =>
        reported.has(fact) ? [] : [`${page.path}: the row of ${name} doesn't have \`${fact}\``],
      );
    });
    assert.deepEqual(wrong, []);
  });
});

/**
 * Every key by its path, such as `models[].price.per_image`, with what the schemas of all kinds say of it. A card inside a
 * price has one row for itself, and what it shares with the price is said there; so has the cost of a route, and a
 * maintenance, which may be `true` as well.
 */
function keysOf(): Map<string, KeySchema[]> {
  const keys = new Map<string, KeySchema[]>();
  const ownOfCost = ['currency', 'rate'];
  const isOfPrice = (name: string) => ['', '[]'].some((end) => keys.has(`models[].price.${name}${end}`));
  const walk = (node: unknown, path: string): void => {
    const schema = keySchema.parse(node ?? {});
    if (schema.oneOf) for (const one of schema.oneOf) walk(one, path);
    else if (schema.properties) {
      const isCost = path === 'models[].routes[].cost';
      const isCard = isCost || (path.startsWith('models[].price.') && 'input_per_million' in schema.properties);
      if (isCard || path === 'models[].maintenance') keys.set(path, [{}]);
      for (const [name, below] of Object.entries(schema.properties))
        if (isCost ? ownOfCost.includes(name) : !isCard || !isOfPrice(name))
          walk(below, path === '' ? name : `${path}.${name}`);
    } else if (keySchema.parse(schema.items ?? {}).properties) walk(schema.items, `${path}[]`);
    else if (path === 'providers') walk(schema.additionalProperties, `${path}.<name>`);
    else keys.set(path, [...(keys.get(path) ?? []), schema]);
  };
  walk(z.toJSONSchema(configurationSchema(providerKinds), { io: 'output', unrepresentable: 'any' }), '');
  return keys;
}

function factsOf(schemas: readonly KeySchema[]): string[] {
  const facts = schemas.flatMap((schema) => {
    const { minimum, maximum, enum: choices, const: only, default: unset } = schema;
    const ofItems = keySchema.parse(schema.items ?? {}).enum;
    const isPlain = ['string', 'number', 'boolean'].includes(typeof unset);
    return [minimum, maximum, only, ...(choices ?? []), ...(ofItems ?? []), ...(isPlain ? [unset] : [])];
  });
  return [...new Set(facts.filter((fact) => fact !== undefined).map(String))];
}
