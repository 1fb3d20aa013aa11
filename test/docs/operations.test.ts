/** `docs/api-guide.md` has every operation of the API, and no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { operations as all } from '../../src/api/operations/all-operations.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { codesIn, differences, pageAt, tablesOf } from './pages.ts';

const page = pageAt('docs/api-guide.md');
const { deployments, ...others } = readConfiguration(builtInConfiguration, 'built-in', {}, providerKinds);
const first = deployments.slice(0, 1);
const { bytes } = openApiDocument(all, { ...others, deployments: first }, 'http://127.0.0.1');
const { paths } = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
  .parse(JSON.parse(bytes.toString()));
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

test('each operation has a row, and each row is an operation', () => {
  const written = tablesOf(page).flatMap(({ head, rows }) => {
    const names = rows.map(([cell = '']) => codesIn(cell)[0] ?? '');
    if (head[0] === 'operation') return names.map((name) => name.replace(' ', ` ${first[0]?.root ?? ''}`));
    return head[0] === 'address' ? names : [];
  });
  assert.deepEqual(differences(page.path, written, operations), []);
});
