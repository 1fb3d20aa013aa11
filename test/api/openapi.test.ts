/** `/openapi.json`: it has every route and no other, its examples work, and it follows the configuration. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Router from '@koa/router';
import * as z from 'zod';
import { createApp } from '../../src/api/app.ts';
import type { ApiDependencies } from '../../src/api/dependencies.ts';
import { consoleDocument } from '../../src/api/console/document.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { builtInConfiguration } from '../../src/settings/built-in.ts';
import { type Configuration, readConfiguration } from '../../src/settings/configuration.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const media = z.object({
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
});
const operation = z.object({
  operationId: z.string(),
  requestBody: z.object({ content: z.record(z.string(), media) }).optional(),
});
const documentForm = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });
type Document = z.output<typeof documentForm>;

let gateway: TestGateway;
let document: Document;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  document = documentForm.parse((await gateway.get('/openapi.json')).body);
});
after(() => gateway.stop());

describe('operations', () => {
  test('every route is in the document, and every operation of the document has its route', () => {
    const all = routesOf(readConfiguration(builtInConfiguration, 'tollgate.yaml', {}, providerKinds));
    // The console's pages and its document are no operations.
    const isOperation = (route: string) => !/^GET (\/\^|\/console\/api\/openapi\.json$)/.test(route);
    const routes = all.filter(isOperation);
    const ofConsole = operationsOf(documentForm.parse(consoleDocument()));
    const documented = [...operationsOf(document), ...ofConsole].map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(
      routes.filter((route) => !documented.includes(route)),
      [],
      'not in the document',
    );
    assert.deepEqual(
      documented.filter((route) => !routes.includes(route)),
      [],
      'without a route',
    );
    assert.ok(routes.length > 50, 'the routes were found');
  });

  test('they have names of their own', () => {
    const names = operationsOf(document).map(({ operationId }) => operationId);
    assert.deepEqual([...new Set(names)], names);
  });
});

describe('examples work as they are', () => {
  test('there are some', () => assert.ok(examplesOf(document).length > 20));

  test('each is answered with 2xx', async () => {
    for (const { method, path, name, value } of examplesOf(document)) {
      const { id } = (await gateway.post('/v1/account/keys', { name: 'to be changed' })).body;
      const response = await gateway.fetch(path.replace('{id}', String(id)), {
        method,
        headers: { 'Content-Type': 'application/json', Prefer: 'wait=0' },
        body: JSON.stringify(value),
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}, ${name}: ${response.status} ${text}`);
    }
  });
});

describe('serving', () => {
  test('nobody needs a key, and who has it is told so', async () => {
    const first = await fetch(`${gateway.url}/openapi.json`);
    await first.arrayBuffer();
    assert.equal(first.status, 200);
    assert.match(first.headers.get('content-type') ?? '', /^application\/json/);
    // By itself fetch would ask for no cached answer.
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
    const again = await fetch(`${gateway.url}/openapi.json`, { headers });
    assert.deepEqual([again.status, (await again.arrayBuffer()).byteLength], [304, 0]);
  });

  test('a reload that changes the models changes the examples', async () => {
    const imageModels = async () =>
      examplesOf(documentForm.parse((await gateway.get('/openapi.json')).body)).flatMap(({ path, value }) =>
        path === '/v1/images/generations' ? [z.object({ model: z.string() }).parse(value).model] : [],
      );
    assert.deepEqual([...new Set(await imageModels())], ['sim-image']);
    await gateway.reload(builtInConfiguration.replace('id: sim-image', 'id: another-image'));
    assert.deepEqual([...new Set(await imageModels())], ['another-image']);
    await gateway.reload(builtInConfiguration);
  });
});

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, rest]) => ({ method: method.toUpperCase(), path, ...rest })),
  );
}

function examplesOf(of: Document) {
  return operationsOf(of).flatMap(({ method, path, requestBody }) => {
    const { example, examples = {} } = requestBody?.content['application/json'] ?? {};
    const named = Object.entries(examples).map(([name, { value }]) => ({ method, path, name, value }));
    return example === undefined ? named : [...named, { method, path, name: 'example', value: example }];
  });
}

/** `GET /v1/models/{id}` and so on, of all routers of the application; HEAD goes with GET. */
function routesOf(configuration: Configuration): string[] {
  const middleware: readonly object[] = createApp(() => dependenciesWith(configuration)).middleware;
  const routers = middleware.flatMap((one) => ('router' in one && one.router instanceof Router ? [one.router] : []));
  return routers.flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${String(path).replace(/[:*](\w+)/g, '{$1}')}`),
    ),
  );
}

/** Routes are made, and never asked: all that is not the configuration may be anything. */
function dependenciesWith(configuration: Configuration): ApiDependencies {
  const anything: object = new Proxy(() => anything, { get: () => anything });
  return new Proxy({} as ApiDependencies, {
    get: (_, name) => (name === 'configuration' ? configuration : anything),
  });
}
