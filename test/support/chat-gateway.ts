/** A gateway whose chat models lead to stand-in upstreams, and what the tests of chat and responses ask of both. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { audit } from '../../src/audit/audit.ts';
import { chargesCheck } from '../../src/audit/checks/charge-sums.ts';
import { bearer, startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { assertLedgerAddsUp } from './money.ts';
import { type Answer as UpstreamAnswer, openUpstream, type Upstream } from './upstream.ts';

export interface ChatGateway {
  gateway: TestGateway;
  /** The first route of most models, and the second one of `chat-two` and `code-two`. */
  first: Upstream;
  second: Upstream;
  /** A key of an account of its own with so much money, 100 if none are named. */
  customer: (balance?: string, limits?: Parameters<TestGateway['newKey']>[0]) => Promise<Customer>;
  /** Checks the whole ledger, and that nothing is held any more. */
  assertAddsUp: () => Promise<void>;
  stop(): Promise<void>;
}

export interface Customer {
  key: string;
  keyId: string;
  account: TestGateway['account'];
  headers: Record<string, string>;
  post: (body: unknown, headers?: Record<string, string>, path?: string) => ReturnType<TestGateway['post']>;
  /** The answer as its bytes, once it has ended; whether it is whole by the rules of HTTP. */
  raw: (body: unknown, path?: string) => Promise<{ status: number; headers: Headers; text: string; isWhole: boolean }>;
  /** Sends a request that can be left. */
  open: (body: unknown, signal: AbortSignal, path?: string) => Promise<Response>;
  /** Amounts available, and the ledger's entries but for the credit, oldest first, once nothing is held. */
  settled: () => Promise<{ balance: number; entries: Entry[] }>;
}

export type Entry = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name

export const chatPath = '/v1/chat/completions';
export const responsesPath = '/v1/responses';
export const messagesPath = '/v1/messages';

/** The smallest body of the model that has a thousand CNY a million tokens of either kind, so 0.001 CNY a token. */
export const hello = { model: 'chat-one', messages: [{ role: 'user', content: 'Hello' }] };

/** Starts the gateway and its upstreams; `stop` it in an `after` hook. */
export async function startChatGateway(
  options: Pick<TestGatewayOptions, 'trustedMs' | 'bounds' | 'servers'> = {},
): Promise<ChatGateway> {
  const [first, second] = [await openUpstream(), await openUpstream()];
  const gateway = await startTestGateway({
    configuration: configurationOf(first.upstream.url, second.upstream.url, await deadAddress()),
    worker: false,
    ...options,
  });
  return {
    gateway,
    first: first.upstream,
    second: second.upstream,
    customer: async (balance = '100', limits = {}) =>
      customerOf(gateway, await gateway.newKey({ balance, level: 'chat', ...limits })),
    assertAddsUp: async () => {
      await noHolds(gateway);
      const { database, secrets } = gateway.core;
      await assertLedgerAddsUp(database, secrets.first.ledger);
      const { findings } = await audit({ database, ledgerKeys: [secrets.first.ledger] }, [chargesCheck]);
      assert.deepEqual(findings, [], 'each charge is what its lines make it');
    },
    async stop() {
      await gateway.stop();
      await first.close();
      await second.close();
    },
  };
}

/** A customer's view through any key of it. */
export function customerOf(
  gateway: TestGateway,
  { key, keyId, account }: Awaited<ReturnType<TestGateway['newKey']>>,
): Customer {
  const headers = bearer(key);
  const json = { 'Content-Type': 'application/json' };
  const open: Customer['open'] = (body, signal, path = chatPath) =>
    gateway.fetch(path, { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(body), signal });
  return {
    key,
    keyId,
    account,
    headers,
    open,
    post: (body, more = {}, path = chatPath) => gateway.post(path, body, { ...headers, ...more }),
    raw: async (body, path) => {
      const response = await open(body, new AbortController().signal, path);
      return { status: response.status, headers: response.headers, ...(await readToEnd(response)) };
    },
    settled: async () => {
      await noHolds(gateway, account);
      const reader = await gateway.newKeyOf(account, { level: 'read' });
      const { body } = await gateway.get('/v1/account/ledger?limit=100', bearer(reader.key));
      const entries = (body['data'] as Entry[]).filter(({ type }) => type !== 'credit').reverse();
      return { balance: (await gateway.money(reader.key)).balance, entries };
    },
  };
}

/** What comes of a body, and whether its end was orderly. */
export async function readToEnd({ body }: Response): Promise<{ text: string; isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  let isWhole = true;
  try {
    for await (const piece of body ?? []) pieces.push(piece as Uint8Array);
  } catch {
    isWhole = false;
  }
  return { text: Buffer.concat(pieces).toString(), isWhole };
}

export const typesOf = (entries: readonly Entry[]): string[] => entries.map(({ type }) => String(type));

/** What an upstream's answer is on the wire. */
export const wireOf = ({ pieces = [] }: UpstreamAnswer): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : '')).join('');

/** Settlements come after the answer, so they are waited for. */
async function noHolds({ core }: TestGateway, account?: string): Promise<void> {
  const text = `select 1 from holds where state = 'held' and ($1::text is null or account_id = $1) limit 1`;
  for (let tries = 0; tries < 500; tries++) {
    if ((await core.database.pool.query(text, [account ?? null])).rowCount === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('something is still held after ten seconds');
}

/** A port that refuses connections: it was free a moment ago. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return `http://127.0.0.1:${address.port}/v1`;
}

const configurationOf = (first: string, second: string, dead: string): string => `
providers:
  first: { kind: openai, base_url: '${first}', api_key: sk-of-the-operator-1 }
  second: { kind: openai, base_url: '${second}', api_key: sk-of-the-operator-2 }
  hasty: { kind: openai, base_url: '${first}', timeout_seconds: 0.3, idle_timeout_seconds: 0.3 }
  dead: { kind: openai, base_url: '${dead}' }
  simulator: { kind: simulator }
  claude: { kind: anthropic, base_url: '${first}', api_key: sk-ant-operator-1 }
  claude-second: { kind: anthropic, base_url: '${second}', api_key: sk-ant-operator-2 }
  chat-only: { kind: openai, base_url: '${first}', api_key: sk-of-the-operator-3, endpoints: [chat] }
  vendor:
    kind: openai
    base_url: '${first}'
    api_key: sk-of-the-vendor
    endpoints: [chat, messages]
    messages_base_url: '${second}/anthropic'
models:
  - id: claude-one
    kind: chat
    routes: [{ provider: claude, model: upstream-claude }]
    price:
      input_per_million: 1000
      output_per_million: 5000
      cached_input_per_million: 100
      cache_write_per_million: 1250
      cache_write_1h_per_million: 2000
  - id: claude-two
    kind: chat
    routes: [{ provider: claude, model: upstream-claude }, { provider: claude-second, model: upstream-claude-2 }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: claude-drained
    kind: chat
    routes: [{ provider: claude, model: upstream-claude }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    on_disconnect: drain
  - id: claude-searching
    kind: chat
    routes: [{ provider: claude, model: upstream-claude }]
    price: { input_per_million: 1000, output_per_million: 1000, per_tool_call: { web_search: 0.5 } }
    allow: [container]
  - id: claude-maintained
    kind: chat
    maintenance: true
    routes: [{ provider: claude, model: upstream-claude }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: chat-translated
    kind: code
    routes: [{ provider: chat-only, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    translate: true
  - id: vendor-one
    kind: chat
    routes: [{ provider: vendor, model: upstream-vendor }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: chat-one
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000, cached_input_per_million: 100 }
  - id: chat-two
    kind: chat
    routes: [{ provider: first, model: upstream-one }, { provider: second, model: upstream-two }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: chat-dead-first
    kind: chat
    routes: [{ provider: dead, model: upstream-one }, { provider: second, model: upstream-two }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: chat-hasty
    kind: chat
    routes: [{ provider: hasty, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: chat-capped
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    limits: { max_output_tokens: 100 }
  - id: chat-drained
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    on_disconnect: drain
  - id: chat-maintained
    kind: chat
    maintenance: true
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: chat-allowing
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    allow: [service_tier, web_search]
  - id: code-allowing
    kind: code
    routes: [{ provider: first, model: upstream-code }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    allow: [service_tier, web_search]
  - id: code-one
    kind: code
    routes: [{ provider: first, model: upstream-code }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: code-hasty
    kind: code
    routes: [{ provider: hasty, model: upstream-code }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: code-two
    kind: code
    routes: [{ provider: first, model: upstream-code }, { provider: second, model: upstream-code-2 }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: an-image
    kind: image
    routes: [{ provider: simulator, model: sim-image }]
    price: { per_image: 1 }
`;
