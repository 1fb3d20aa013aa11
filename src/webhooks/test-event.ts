/** An event that an owner sends to the account's own webhook, to see that it arrives. */
import type { AccountId } from '../domain/ids.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Database } from '../postgres/database.ts';
import { newEventId } from '../postgres/new-ids.ts';
import { oweEvent } from './events.ts';

const testType = 'webhook.test';

/**
 * Owes a `webhook.test` to the account's webhook, delivered as all events are. Returns its id. Refuses with
 * `invalid_parameter` where the account has no webhook, or another test is still on its way.
 */
export async function sendTestEvent({ pool }: Pick<Database, 'pool'>, account: AccountId): Promise<string> {
  const { rowCount: waiting } = await pool.query(
    'select 1 from events where account_id = $1 and type = $2 and ended_at is null limit 1',
    [account, testType],
  );
  if (waiting !== 0)
    throw new GatewayError(
      'invalid_parameter',
      'A test event is still on its way. Wait until it has arrived or failed.',
    );
  const id = newEventId();
  await oweEvent(pool, { id, account, url: null, type: testType, data: { id: account, object: 'account' } });
  const { rowCount: owed } = await pool.query('select 1 from events where id = $1', [id]);
  if (owed === 0)
    throw new GatewayError('invalid_parameter', 'This account has no webhook. Set its address first.', {
      param: 'webhook_url',
    });
  return id;
}
