import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Router from '@koa/router';
import type { RequestState } from '../../src/api/context.ts';
import { rememberFixedPaths } from '../../src/api/fixed-paths.ts';

const done = () => undefined;

function routers() {
  const calls = new Router<RequestState>({ prefix: '/v1', sensitive: true });
  calls.use(done).post('/chat', done).get('/tasks', done).get('/tasks/:id', done).post('/tasks/count', done);
  const pages = new Router<RequestState>().get('/docs', done).get(/^\/console(\/.*)?$/, done);
  return [calls, pages];
}

const asked = [
  '/v1/chat',
  '/v1/tasks',
  '/v1/tasks/1',
  '/v1/tasks/count',
  '/docs',
  '/console/keys',
  '/V1/chat',
  '/none',
];
const methods = ['GET', 'POST', 'HEAD', 'DELETE'];

describe('routers that remember their fixed paths', () => {
  test('have the same routes as before for every path and method, however often they are asked', () => {
    const plain = routers();
    const remembering = routers();
    rememberFixedPaths(remembering);
    for (const path of [...asked, ...asked])
      for (const method of methods)
        for (const [at, router] of plain.entries()) {
          const wanted = router.match(path, method);
          const found = remembering[at]?.match(path, method);
          assert.ok(found);
          assert.equal(found.route, wanted.route, `${method} ${path}`);
          const namesOf = (layers: { path: unknown; methods: string[] }[] = []) =>
            layers.map((layer) => `${layer.methods.join()} ${String(layer.path)}`);
          assert.deepEqual(namesOf(found.path), namesOf(wanted.path), `${method} ${path}`);
          assert.deepEqual(namesOf(found.pathAndMethod), namesOf(wanted.pathAndMethod), `${method} ${path}`);
        }
  });

  test('give out a list of their own each time: the next router adds to it', () => {
    const [calls] = routers();
    assert.ok(calls);
    rememberFixedPaths([calls]);
    const first = calls.match('/v1/chat', 'POST').path;
    const length = first.length;
    first.push(...first);
    assert.equal(calls.match('/v1/chat', 'POST').path.length, length);
  });
});
