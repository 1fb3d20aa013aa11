/** What a pasted id or a part of a name means, and only in accounts that the person may see. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as z from 'zod';
import { batchOf } from '../../support/batches.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let account: TestGateway['account'];
let key: string;
let keyId: string;
let people: Record<'member' | 'operator' | 'stranger', ConsoleClient>;
before(async () => {
  gateway = await startTestGateway();
  ({ account, key, keyId } = await gateway.newKey({ balance: '10', name: 'Till of the shop' }));
  const { account: another } = await gateway.newKey({ balance: '10' });
  people = {
    member: await signedIn(gateway, { memberships: [{ account, role: 'member' }] }),
    operator: await signedIn(gateway, { memberships: [], isOperator: true }),
    stranger: await signedIn(gateway, { memberships: [{ account: another, role: 'owner' }] }),
  };
});
after(() => gateway.stop());

const listForm = z.array(
  z.object({ kind: z.string(), id: z.string().nullable(), account: z.object({ id: z.string(), name: z.string() }) }),
);

async function find(who: keyof typeof people, text: string): Promise<[string, string | null][]> {
  const { status, body } = await people[who].get(`/find?text=${encodeURIComponent(text)}`);
  assert.equal(status, 200, JSON.stringify(body));
  const found = listForm.parse(body['data']);
  assert.ok(found.every(({ account: { id } }) => id === account));
  return found.map(({ kind, id }) => [kind, id]);
}

test('ids of tasks, requests, ledger entries, keys and accounts are found by members and operators, not by others', async () => {
  const image = { model: 'sim-image', prompt: 'A toll gate' };
  const { body: task } = await gateway.post('/v1/images/generations', image, bearer(key));
  const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
  const { headers } = await gateway.post('/v1/chat/completions', hello, bearer(key));
  const request = headers.get('x-request-id') ?? '';
  const ledger = await gateway.get(`/v1/account/ledger?request_id=${request}`, bearer(key));
  const entries = z.array(z.looseObject({ id: z.string() })).parse(ledger.body['data']);
  assert.ok(entries.length >= 2);
  const cases: [text: string, found: [string, string | null][]][] = [
    [String(task['id']), [['task', String(task['id'])]]],
    [
      request,
      [
        ['request', request],
        ['entries', request],
      ],
    ],
    ...entries.map(({ id }): [string, [string, string][]] => [id, [['entries', request]]]),
    [keyId, [['key', keyId]]],
    ['till OF', [['key', keyId]]],
    [account, [['account', account]]],
  ];
  for (const [text, found] of cases) {
    for (const who of ['member', 'operator'] as const)
      assert.deepEqual(await find(who, text), found, `${who}: ${text}`);
    const { body } = await people.stranger.get(`/find?text=${encodeURIComponent(text)}`);
    assert.deepEqual(body['data'], [], text);
  }
});

test('a batch and an entry that has no request are found by their ids', async () => {
  const { body } = await gateway.get('/v1/account/ledger?type=credit', bearer(key));
  const [credit] = z.array(z.looseObject({ id: z.string() })).parse(body['data']);
  assert.deepEqual(await find('member', credit?.id ?? ''), [['entries', null]]);
  const { id } = await batchOf(gateway, { account, keyId }, 'chat/completions', []);
  assert.deepEqual(await find('operator', id), [['batch', id]]);
});

test('a text that nothing is named by finds nothing, whatever stands in it', async () => {
  for (const text of ["'; drop table tasks; --", '%', '00000000-0000-0000-0000-000000000000.capture', 'img_1', '没有'])
    assert.deepEqual(await find('operator', text), []);
  assert.equal((await people.member.get('/find?text=')).status, 400);
});
