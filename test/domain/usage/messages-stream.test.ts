import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf } from '../../../src/domain/billing/token-counts.ts';
import { MessagesUsage } from '../../../src/domain/usage/messages-usage.ts';
import { readUsage } from '../../../src/domain/usage/vendor-usage.ts';

test('the usage of a stream of messages is that of its start, with the whole counts of its deltas put over it', () => {
  const stream = new MessagesUsage();
  assert.equal(stream.usage, undefined);
  stream.take({
    ...{ input_tokens: 472, cache_read_input_tokens: 9, cache_creation_input_tokens: 20, output_tokens: 2 },
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 20 },
  });
  stream.take({ output_tokens: 40, input_tokens: null, cache_read_input_tokens: null });
  stream.take('no usage');
  stream.take({ output_tokens: 89, server_tool_use: { web_search_requests: 1 } });
  assert.ok(stream.usage);
  assert.deepEqual(readUsage('messages', stream.usage), {
    counts: countsOf({ fresh: 472, cacheRead: 9, cacheWrite1h: 20, output: 89, toolCalls: { web_search: 1 } }),
    odd: [],
  });
});
