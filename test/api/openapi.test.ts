/** `/openapi.json`: it has every route and no other, its examples work, and it follows the configuration. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Router from '@koa/router';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { request } from 'undici';
import * as z from 'zod';
import { createApp } from '../../src/api/app.ts';
import type { ApiDependencies } from '../../src/api/dependencies.ts';
import { consoleDocument } from '../../src/api/console/console-document.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { isObject } from '../../src/domain/json/json-object.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { type Configuration, readConfiguration } from '../../src/config/configuration.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const media = z.looseObject({
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
});
const content = z.record(z.string(), media).default({});
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ in: z.string().optional(), example: z.unknown().optional() })).default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ $ref: z.string().optional(), content })),
});
const operations = z.record(z.string(), z.record(z.string(), operation));
const documentForm = z.looseObject({ paths: operations, webhooks: operations.default({}) });
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

describe('examples', () => {
  test('every operation and webhook has one of what is sent and of what is answered, each as its schema has it', () => {
    const faultsOf = judgeOf(document);
    const all = (['paths', 'webhooks'] as const).flatMap((kind) =>
      operationsOf({ paths: document[kind] }).map((one) => ({ kind, ...one })),
    );
    const wrong = all.flatMap(({ kind, method, path, parameters, requestBody, responses }) => {
      const own = [kind, path, method.toLowerCase()];
      const sent = bodiesOf(requestBody?.content ?? {}, [...own, 'requestBody']);
      const answered = Object.entries(responses).flatMap(([status, { $ref, content: bodies }]) => {
        const at = $ref?.slice('#/'.length).split('/') ?? [...own, 'responses', status];
        return bodiesOf($ref === undefined ? bodies : content.parse(reached(document, [...at, 'content'])), at);
      });
      const bare = parameters.filter((one) => one.in === 'path' && one.example === undefined).map(() => 'a parameter');
      return [...bare, ...[...sent, ...answered].flatMap(faultsOf)].map((fault) => `${method} ${path}: ${fault}`);
    });
    assert.deepEqual(wrong, []);
    assert.ok(all.length > 60);
  });
});

describe('examples work as they are', () => {
  test('there are some', () => assert.ok(examplesOf(document).length > 20));

  test('each is answered with 2xx', async () => {
    for (const { method, path, name, value } of examplesOf(document)) {
      if (path.startsWith('/hooks/')) continue; // its signature can't be an example's
      const { id } = (await gateway.post('/v1/account/keys', { name: 'to be changed' })).body;
      const body =
        isObject(value) && 'input_file_id' in value ? { ...value, input_file_id: await fileForBatch() } : value;
      const response = await gateway.fetch(path.replace('{id}', String(id)), {
        method,
        headers: { 'Content-Type': 'application/json', Prefer: 'wait=0' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}, ${name}: ${response.status} ${text}`);
    }
  });
});

/** An example can't name a file that is there. */
async function fileForBatch(): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(['{}\n']), 'batch.jsonl');
  const response = await gateway.fetch('/v1/files', { method: 'POST', body: form });
  return z.object({ id: z.string() }).parse(await response.json()).id;
}

describe('serving', () => {
  test('the document needs no key, and a caller that has it gets 304', async () => {
    const first = await fetch(`${gateway.url}/openapi.json`);
    await first.arrayBuffer();
    assert.equal(first.status, 200);
    assert.match(first.headers.get('content-type') ?? '', /^application\/json/);
    // By itself fetch would ask for no cached answer.
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
    const again = await fetch(`${gateway.url}/openapi.json`, { headers });
    assert.deepEqual([again.status, (await again.arrayBuffer()).byteLength], [304, 0]);
  });

  test('the document is compressed for clients that take that, under a tag of its own; caches keep the two apart', async () => {
    const ask = (headers: Record<string, string> = {}) => request(`${gateway.url}/openapi.json`, { headers });
    const plain = await ask();
    const bytes = Buffer.from(await plain.body.arrayBuffer());
    const packed = await ask({ 'accept-encoding': 'gzip' });
    const packedBytes = Buffer.from(await packed.body.arrayBuffer());
    assert.deepEqual([plain.headers['content-encoding'], packed.headers['content-encoding']], [undefined, 'gzip']);
    assert.deepEqual([plain.headers['vary'], packed.headers['vary']], ['Accept-Encoding', 'Accept-Encoding']);
    assert.ok(packedBytes.length * 5 < bytes.length, `${packedBytes.length} of ${bytes.length} bytes`);
    assert.deepEqual(gunzipSync(packedBytes), bytes);
    const smaller = await ask({ 'accept-encoding': 'gzip, br' });
    assert.deepEqual(
      [smaller.headers['content-encoding'], smaller.headers['etag']],
      ['br', `${String(plain.headers['etag']).slice(0, -1)}-br"`],
    );
    assert.deepEqual(brotliDecompressSync(Buffer.from(await smaller.body.arrayBuffer())), bytes);
    const [etag, packedEtag] = [String(plain.headers['etag']), String(packed.headers['etag'])];
    assert.notEqual(etag, packedEtag);
    const asked: [number, Record<string, string>][] = [
      [304, { 'if-none-match': etag }],
      [304, { 'if-none-match': packedEtag, 'accept-encoding': 'gzip' }],
      [200, { 'if-none-match': etag, 'accept-encoding': 'gzip' }],
      [200, { 'if-none-match': packedEtag }],
      [200, { 'accept-encoding': 'gzip;q=0' }],
    ];
    for (const [status, headers] of asked) {
      const answer = await ask(headers);
      await answer.body.dump();
      assert.equal(answer.statusCode, status, JSON.stringify(headers));
      assert.equal(answer.headers['vary'], 'Accept-Encoding');
    }
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

function operationsOf({ paths }: Pick<Document, 'paths'>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, rest]) => ({ method: method.toUpperCase(), path, ...rest })),
  );
}

interface Body {
  type: string;
  /** Of its media object in the document. */
  at: readonly string[];
  values: readonly unknown[];
}

function bodiesOf(of: z.output<typeof content>, at: readonly string[]): Body[] {
  return Object.entries(of).map(([type, { example, examples = {} }]) => {
    const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
    return { type, at: [...at, 'content', type], values };
  });
}

/** Reports what is wrong with the examples of a body. Bytes have none, and a form's example names a file instead of having it. */
function judgeOf(of: Document): (body: Body) => string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'document:', ...of });
  const validators = new Map<string, ValidateFunction>(); // both roots have the same schemas
  return ({ type, at, values }) => {
    if (/^(image|video|audio)\//.test(type)) return [];
    if (values.length === 0) return [`no example at ${at.join(' ')}`];
    if (type !== 'application/json') return [];
    const schema = ['', ...at, 'schema'].map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const text = JSON.stringify(reached(of, [...at, 'schema']));
    const validate = validators.get(text) ?? ajv.compile({ $ref: `document:#${encodeURI(schema)}` });
    validators.set(text, validate);
    return values.flatMap((value) => (validate(value) ? [] : [`${at.join(' ')}: ${ajv.errorsText(validate.errors)}`]));
  };
}

function reached(from: unknown, steps: readonly string[]): unknown {
  return steps.reduce((value, step) => z.record(z.string(), z.unknown()).parse(value)[step], from);
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

/** Routes are made, and never asked: all that is not a setting may be anything. */
function dependenciesWith(configuration: Configuration): ApiDependencies {
  const anything: object = new Proxy(() => anything, { get: () => anything });
  const settings: object = { configuration, corsOrigins: [] };
  return new Proxy(settings as ApiDependencies, { get: (of, name): unknown => Reflect.get(of, name) ?? anything });
}
