/** Two API processes over one database: what one sets of a key holds in the other, and neither writes a secret down. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiProcess, type ApiProcesses, startApiProcesses } from '../support/api-processes.ts';
import { hello } from '../support/chat-gateway.ts';
import { assertError } from '../support/errors.ts';
import { type Answer, answerOf, bearer } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { allRows } from '../support/tables.ts';
import { chatAnswer, openUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let made: ApiProcesses;
let one: ApiProcess;
let other: ApiProcess;
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  made = await startApiProcesses(2, upstream.url);
  const [first, second] = made.apis;
  assert.ok(first && second);
  [one, other] = [first, second];
});
after(async () => {
  await made.stop();
  await closeUpstream();
});

const send = async (api: ApiProcess, method: string, path: string, headers: object, body?: unknown): Promise<Answer> =>
  answerOf(
    await fetch(`${api.url}${path}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
const call = async (api: ApiProcess, key: string) => answerOf(await api.open(bearer(key), hello));
const admin = () => made.newCustomer('1000', { level: 'admin' });

test('a call limit that one process sets is exact over both, and so is each change of it', async () => {
  const { headers } = await admin();
  const { body } = await send(one, 'POST', '/v1/account/keys', headers, {
    name: 'shared',
    level: 'chat',
    call_limits: [{ calls: 7, per: 'total' }],
  });
  const [id, key] = [String(body['id']), String(body['key'])];
  const many = async (admitted: number) => {
    for (let answers = 0; answers < admitted; answers++) upstream.answers(chatAnswer('Hi'));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => call(at % 2 ? one : other, key)));
    assert.equal(answers.filter(({ status }) => status === 200).length, admitted);
    for (const answer of answers) if (answer.status !== 200) assertError(answer, 'call_limit_exceeded');
  };
  await many(7);
  await send(other, 'PATCH', `/v1/account/keys/${id}`, headers, { call_limits: [{ calls: 12, per: 'total' }] });
  await many(5);
  await send(one, 'PATCH', `/ai/v1/account/keys/${id}`, headers, { call_limits: [{ calls: 11, per: 'total' }] });
  await many(0);
});

/** A key made by one process that the other has already seen. */
async function seenKey(): Promise<{ path: string; key: string; headers: object; models: () => Promise<Answer> }> {
  const { headers } = await admin();
  const { body } = await send(one, 'POST', '/v1/account/keys', headers, { name: 'a', level: 'chat' });
  const [path, key] = [`/v1/account/keys/${String(body['id'])}`, String(body['key'])];
  const models = () => send(other, 'GET', '/v1/models', bearer(key));
  assert.equal(((await models()).body['data'] as unknown[]).length, 1);
  return { path, key, headers, models };
}

test('an allow-list that one process sets acts in the other, and at once where it costs money', async () => {
  const { path, key, headers, models } = await seenKey();
  await send(one, 'PATCH', path, headers, { models: ['another'] });
  assertError(await call(other, key), 'model_not_allowed', 'model');
  await until('an empty list', async () =>
    ((await models()).body['data'] as unknown[]).length === 0 ? true : undefined,
  );
});

test('a key that one process revokes is refused by the other, and at once where it costs money', async () => {
  const { path, key, headers, models } = await seenKey();
  await send(one, 'DELETE', path, headers);
  assertError(await call(other, key), 'invalid_api_key');
  await until('the refusal', async () => ((await models()).status === 401 ? true : undefined));
});

test('both processes know the same webhook secret, and no secret is in a row or in what they print', async () => {
  const { headers } = await admin();
  const secrets = await Promise.all(
    [one, other, one, other].map((api) => send(api, 'GET', '/v1/account/webhook-secret', headers)),
  );
  const [webhook = '', ...others] = secrets.map(({ body }) => String(body['secret']));
  assert.ok(webhook.startsWith('whsec_'));
  assert.deepEqual(others, [webhook, webhook, webhook]);
  const { body } = await send(one, 'POST', '/v1/account/keys', headers, { name: 'a' });
  const [rows, printed] = [
    await allRows(made.database),
    made.apis.map(({ running }) => running.stdout + running.stderr).join(''),
  ];
  assert.match(printed, /account\/keys/, 'requests are logged');
  for (const secret of [String(body['key']), webhook.slice('whsec_'.length)]) {
    assert.ok(!rows.includes(secret), 'in a row');
    assert.ok(!printed.includes(secret), 'in the log');
  }
});
