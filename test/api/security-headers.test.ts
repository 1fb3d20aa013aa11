/** The headers of every answer declare it as data to browsers: what is found, what is refused, and what is streamed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sharedTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

for (const [what, path, body] of [
  ['an answer', '/healthz', undefined],
  ['a refusal', '/v1/models', undefined],
  ['what is not there', '/nowhere', undefined],
  ['a chat answer', '/v1/chat/completions', { model: 'sim-chat' }],
  ['a stream', '/v1/chat/completions', { model: 'sim-chat', stream: true }],
] as const) {
  test(what, async () => {
    const answer = await fetch(`${gateway.url}${path}`, {
      ...(body && {
        method: 'POST',
        headers: { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...body, messages: [{ role: 'user', content: 'hi' }] }),
      }),
    });
    await answer.arrayBuffer();
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  });
}
