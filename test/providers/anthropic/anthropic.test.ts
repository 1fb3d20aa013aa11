/** The adapter of Anthropic against a stand-in: its key, its probe, and the id of a request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropic } from '../../../src/providers/anthropic/anthropic.ts';
import { messagesAnswer, withUpstream } from '../../support/upstream.ts';
import { callOf, listen, settingsOf } from '../openai/support.ts';

test('it has messages only, keyed by x-api-key, and is probed by its list of models', async () => {
  await withUpstream(async (upstream) => {
    const provider = anthropic.chat?.(settingsOf(upstream.url, { kind: 'anthropic' }));
    assert.ok(provider);
    assert.deepEqual(provider.endpoints, ['messages']);
    upstream.answers({ ...messagesAnswer('Hi'), headers: { 'request-id': 'req_of_anthropic' } });
    const headers = ['anthropic-version', '2023-06-01'];
    const { head } = await listen(provider, callOf({ model: 'm' }, { path: 'messages', headers }));
    assert.deepEqual([head?.status, head?.upstreamRequestId], [200, 'req_of_anthropic']);
    assert.deepEqual(await provider.probe?.(new AbortController().signal), { status: 200 });
    const [call, probe] = upstream.requests;
    assert.deepEqual([call?.path, probe?.method, probe?.path], ['/v1/messages', 'GET', '/v1/models']);
    for (const seen of [call, probe]) {
      const { 'x-api-key': key, authorization, 'anthropic-version': version } = seen?.headers ?? {};
      assert.deepEqual([key, authorization, version], ['sk-operator-1', undefined, '2023-06-01']);
    }
    await provider.close?.();
  });
});
