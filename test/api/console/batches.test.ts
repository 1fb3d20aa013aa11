/** Batches in the console: made there, looked through, at one of them, its files, and cancelling, by owners and by operators. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as z from 'zod';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { listActs } from '../../../src/ledger/audit-log.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleAnswer, type ConsoleClient, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
let owner: ConsoleClient;
let member: ConsoleClient;
let operator: ConsoleClient;
let stranger: ConsoleClient;
let strangersAccount: string;
before(async () => {
  gateway = await startTestGateway({ env: { TOLLGATE_TEMPORAL_UI_URL: 'https://temporal.example.com/ui/' } });
  const { account, by } = gateway;
  const { id: another } = await createAccount(by, 'another');
  strangersAccount = another;
  owner = await signedIn(gateway);
  member = await signedIn(gateway, { memberships: [{ account, role: 'member' }] });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
  stranger = await signedIn(gateway, { memberships: [{ account: another, role: 'owner' }] });
});
after(() => gateway.stop());

const at = (path = '', account: string = gateway.account) => `/accounts/${account}/batches${path}`;
const chat = '/v1/chat/completions';
const lineOf = (customId: string, prompt: string, model = 'sim-chat') =>
  JSON.stringify({
    ...{ custom_id: customId, method: 'POST', url: chat },
    body: { model, messages: [{ role: 'user', content: prompt }], max_tokens: 50 },
  });

/** Uploads the lines as the console's page does, and makes a batch of them. */
async function made(lines: readonly string[], metadata?: Record<string, string>): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([`${lines.join('\n')}\n`]), 'lines.jsonl');
  const uploaded = await fetch(`${gateway.url}/console/api/accounts/${gateway.account}/v1/files`, {
    method: 'POST',
    headers: { Cookie: owner.cookie, Origin: gateway.url },
    body: form,
  });
  const { id } = z.looseObject({ id: z.string() }).parse(await uploaded.json());
  const order = { input_file_id: id, endpoint: chat, completion_window: '24h', ...(metadata && { metadata }) };
  const { status, body } = await owner.call('POST', `/accounts/${gateway.account}/v1/batches`, order);
  assert.equal(status, 200, JSON.stringify(body));
  return String(body['id']);
}

const batchPage = z.looseObject({
  status: z.string(),
  counts: z.strictObject({ total: z.int(), completed: z.int(), failed: z.int() }),
  ended: z.int().nullable(),
  files: z.array(z.looseObject({ role: z.string(), stored: z.looseObject({ url: z.string() }).nullable() })),
});
async function pageOf(id: string, who = member) {
  const { status, body } = await who.get(at(`/${id}`));
  assert.equal(status, 200, JSON.stringify(body));
  return batchPage.parse(body);
}
const ended = (id: string) =>
  until('the end of a batch', async () => {
    const page = await pageOf(id);
    return page.ended === null ? undefined : page;
  });
const refusalOf = ({ status, body }: ConsoleAnswer) => [status, (body['error'] as { code?: string } | undefined)?.code];
const idsOf = ({ body }: ConsoleAnswer) =>
  z.array(z.looseObject({ id: z.string() })).parse(body['data']).map(({ id }) => id); // oxfmt-ignore
const download = (client: ConsoleClient, path: string) =>
  fetch(`${gateway.url}${path}`, { headers: { Cookie: client.cookie } });

test('a batch that an owner makes by an upload runs to its files, which its members download', async () => {
  const id = await made([lineOf('a', 'Count'), lineOf('b', '[sim:status=400] no'), lineOf('c', 'Count')], { job: 'n' });
  const { lines_per_minute: pace, cost, ...page } = await ended(id);
  assert.deepEqual(
    [page.status, page.counts, page['models'], page['metadata'], page['held'], page['operator'], page['mistakes']],
    ['completed', { total: 3, completed: 2, failed: 1 }, ['sim-chat'], { job: 'n' }, 0, null, []],
  );
  assert.ok(Number(pace) > 0 && Number(cost) > 0, `${String(pace)} ${String(cost)}`);
  assert.equal((page['key'] as { name: string }).name, 'Playground');
  const [error, ...others] = z.array(z.looseObject({ lines: z.int(), first: z.int() })).parse(page['line_errors']);
  assert.deepEqual([error?.lines, error?.first, others], [1, 2, []]);
  assert.deepEqual(page.files.map(({ role }) => role), ['input', 'output', 'error']); // oxfmt-ignore
  const texts = await Promise.all(
    page.files.map(async ({ stored }) => (await download(member, stored?.url ?? '')).text()),
  );
  assert.deepEqual(
    texts.map((text) => [...text.matchAll(/"custom_id":"(\w)"/g)].map(([, name]) => name).join('')),
    ['abc', 'ac', 'b'],
  );
});

test('mistakes of a file are shown with their lines, and it has no other files', async () => {
  const id = await made([lineOf('a', 'good'), lineOf('a', 'the same id'), lineOf('c', 'no', 'no-such-model')]);
  const page = await ended(id);
  assert.equal(page.status, 'failed');
  const mistakes = z.array(z.looseObject({ line: z.int().nullable() })).parse(page['mistakes']);
  assert.deepEqual(mistakes.map(({ line }) => line), [2, 3]); // oxfmt-ignore
  assert.deepEqual([page['models'], page['lines_per_minute'], page['cost']], [[], null, 0]);
  assert.deepEqual(page.files.map(({ role }) => role), ['input']); // oxfmt-ignore
  assert.deepEqual(refusalOf(await member.get(at(`/${id}/files/output`))), [404, 'file_not_found']);
  assert.deepEqual(refusalOf(await member.get(at(`/${id}/files/else`))), [404, 'file_not_found']);
});

test('the list goes by pages from the newest, and by status', async () => {
  const first = await made([lineOf('a', 'one')]);
  await ended(first);
  const second = await made([lineOf('a', 'two')]);
  await ended(second);
  const newest = await member.get(at('?limit=1'));
  assert.deepEqual([idsOf(newest), newest.body['has_more']], [[second], true]);
  const next = await member.get(at(`?limit=1&cursor=${String(newest.body['next_cursor'])}`));
  assert.deepEqual(idsOf(next), [first]);
  assert.ok(idsOf(await member.get(at('?status=completed'))).includes(first));
  assert.ok(!idsOf(await member.get(at('?status=failed'))).includes(first));
  assert.deepEqual(refusalOf(await member.get(at('?status=nonsense'))), [400, 'invalid_parameter']);
  assert.deepEqual(refusalOf(await member.get(at('?cursor=nonsense'))), [400, 'invalid_parameter']);
});

test('an owner cancels a batch, which is logged once; one that has ended is refused', async () => {
  const id = await made([lineOf('a', '[sim:delay=600s] slow'), lineOf('b', '[sim:delay=600s] slow')]);
  await until('it runs', async () => ((await pageOf(id)).status === 'in_progress' ? true : undefined));
  for (const who of [owner, owner]) {
    const { status, body } = await who.call('POST', at(`/${id}/cancel`));
    assert.deepEqual([status, body['status']], [200, 'cancelling'], JSON.stringify(body));
  }
  const acts = await listActs(gateway.core.database, { account: gateway.account, limit: 20 });
  assert.deepEqual(
    acts.filter(({ action }) => action === 'batch.cancelled').map(({ actor, details }) => [actor, details]),
    [[`person:${owner.person.id}`, { batch_id: id }]],
  );
  const done = await made([lineOf('a', 'quick')]);
  await ended(done);
  assert.deepEqual(refusalOf(await owner.call('POST', at(`/${done}/cancel`))), [409, 'batch_not_cancellable']);
});

test('operators see the batches of all accounts, where each of them runs, and may cancel it', async () => {
  const id = await made([lineOf('a', '[sim:delay=600s] slow')]);
  const list = await operator.get('/operator/batches');
  const record = z.array(z.looseObject({ id: z.string() })).parse(list.body['data']).find((one) => one.id === id); // oxfmt-ignore
  assert.equal((record?.['account'] as { id: string }).id, gateway.account);
  const page = await pageOf(id, operator);
  const { workflow_url: address } = z.looseObject({ workflow_url: z.string() }).parse(page['operator']);
  assert.ok(address.startsWith('https://temporal.example.com/ui/') && address.endsWith(id), address);
  assert.equal((await operator.call('POST', at(`/${id}/cancel`))).status, 200);
  const done = await made([lineOf('a', 'quick')]);
  await ended(done);
  assert.ok(!idsOf(await operator.get('/operator/batches')).includes(done), 'it is not under way');
  assert.ok(idsOf(await operator.get('/operator/batches?state=all&limit=100')).includes(done));
});

test("another account's batch is not found, nor are its files", async () => {
  const id = await made([lineOf('a', 'mine')]);
  for (const path of [`/${id}`, `/${id}/files/input`, '/nonsense'])
    assert.deepEqual(refusalOf(await stranger.get(at(path, strangersAccount))), [404, 'batch_not_found']);
  assert.deepEqual(refusalOf(await stranger.call('POST', at(`/${id}/cancel`, strangersAccount))), [
    404,
    'batch_not_found',
  ]);
  await ended(id);
});
