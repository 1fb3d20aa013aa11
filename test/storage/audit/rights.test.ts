import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { AccountId } from '../../../src/domain/ids.ts';
import { changeAccount, createAccount, resumeAccount, suspendAccount } from '../../../src/accounts/accounts.ts';
import type { Actor, Administrator } from '../../../src/ledger/audit-log.ts';
import { createApiKey, noLimits, revokeKey } from '../../../src/accounts/api-keys.ts';
import { audit, type AuditReport } from '../../../src/audit/audit.ts';
import { rowChecks } from '../../../src/audit/checks/all-checks.ts';
import { acceptInvitation, invite } from '../../../src/accounts/invitations.ts';
import { changeRole, removeMember } from '../../../src/accounts/members.ts';
import { removeOperator, setDisabled } from '../../../src/accounts/operators.ts';
import { changePassword, createPerson, type Person } from '../../../src/accounts/people.ts';
import { beginSession } from '../../../src/accounts/sessions.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { administrator, ledgerKey } from '../../support/money.ts';
import { tamperingsOf, whileTampered } from '../../support/tampering.ts';

describe('the audit of people and what they may', () => {
  let home: TestDatabase;
  let by: Administrator;
  let account: AccountId;
  before(async () => {
    home = await freshDatabase();
    by = administrator(home.database);
    ({ id: account } = await createAccount(by, 'audited'));
  });
  after(() => home.drop());

  const as = (actor: Actor): Administrator => ({ ...by, actor });
  const audited = (): Promise<AuditReport> => audit({ database: home.database, ledgerKeys: [ledgerKey] }, rowChecks);
  const says = async () => (await audited()).findings.map(({ subject, says }) => `${subject}: ${says}`);
  const lastAct = async (): Promise<string> => {
    const { rows } = await home.database.pool.query<{ seq: bigint }>('select max(seq) as seq from acts');
    return `act_${rows[0]?.seq}`;
  };

  async function person(isOperator: boolean, role?: 'owner' | 'member'): Promise<Person> {
    const made = await createPerson(by, {
      ...{ email: `${randomBytes(6).toString('hex')}@example.com`, passwordHash: 'a hash', isOperator },
      memberships: role ? [{ account, role }] : [],
    });
    assert.ok(made);
    return made;
  }

  test('agrees with everything that people and keys may do', async () => {
    const [operator, owner, member] = [await person(true), await person(false, 'owner'), await person(false, 'member')];
    const [asOperator, asOwner] = [as(`person:${operator.id}`), as(`person:${owner.id}`)];
    await suspendAccount(asOperator, account, 'for a test');
    await resumeAccount(asOperator, account);
    await changeAccount(asOwner, account, { webhookUrl: 'https://example.com/' });
    const { key } = await createApiKey(asOwner, account, { ...noLimits, name: 'a key', level: 'admin' });
    await createApiKey(as(`key:${key.id}`), account, { ...noLimits, name: 'its key', level: 'read' });
    await revokeKey(asOwner, key.id);
    await changeRole(asOwner, account, member.id, 'owner');
    await removeMember(asOperator, account, member.id);
    const tools = { database: home.database, ledgerKey, ledgerKeys: [ledgerKey] };
    const offer = { email: 'invited@example.com', account, role: 'member', makesOperator: false } as const;
    const { token } = await invite(asOwner, offer);
    const joined = await acceptInvitation(tools, token, { passwordHash: 'their hash' });
    assert.ok(joined);
    const more = await invite(asOperator, { ...offer, account: null, role: null, makesOperator: true });
    await acceptInvitation(tools, more.token, { passwordHash: 'another hash' });
    const before = 'another hash';
    await changePassword(as(`person:${joined.id}`), joined.id, { before, hash: 'a third one', keep: '' });
    await removeOperator(asOperator, joined);
    await setDisabled(asOperator, joined, true);
    await setDisabled(asOperator, joined, false);
    await beginSession(home.database, ledgerKey, owner.id, { userAgent: '', address: '', passwordHash: 'a hash' });
    await invite(asOwner, { ...offer, email: 'not-yet@example.com' });
    assert.deepEqual(await says(), []);
  });

  test('reports each column of people, roles, sessions, links and keys that was changed, and rows that were removed or added', async () => {
    const [{ id }] = (await home.database.pool.query<{ id: string }>(`select id from people where is_operator`))
      .rows as [{ id: string }];
    const owner = `(select person_id from memberships where role = 'owner' order by 1 limit 1)`;
    const targets = [
      { table: 'people', where: `id = '${id}'` },
      { table: 'people', where: `id = ${owner}` },
      { table: 'memberships', where: `person_id = ${owner}` },
      { table: 'sessions', where: 'true', except: ['user_agent', 'address', 'created_at', 'seen_at', 'expires_at'] },
      {
        ...{ table: 'invitations', where: 'closed_at is null' },
        except: ['invited_by', 'created_at', 'expires_at', 'closed_at', 'is_used'],
      },
    ];
    for (const { except = [], ...target } of targets) {
      for (const tampering of await tamperingsOf(home, target, { except })) {
        // A row that is gone signs no person in.
        if (tampering.kind === 'removed' && ['sessions', 'invitations'].includes(tampering.table)) continue;
        await whileTampered(home, tampering, async () => {
          assert.equal((await audited()).agrees, false, tampering.says);
        });
      }
    }
    assert.deepEqual(await says(), []);
  });

  const hasNoRight = 'did it, and had no right to by what the log said until then';

  test('reports an actor who never was, was there later, had no right, or had lost it', async () => {
    const owner = await person(false, 'owner');
    const wrong: string[] = [];
    const note = async (who: string, what: string) => wrong.push(`${await lastAct()}: ${who} ${hasNoRight}: ${what}`);
    await suspendAccount(as(`person:${owner.id}`), account);
    await note(`person:${owner.id}`, 'account.suspended');
    const unknown = `person:usr_${'0'.repeat(32)}` as const;
    await resumeAccount(as(unknown), account);
    await note(unknown, 'account.resumed');
    const { key } = await createApiKey(by, account, { ...noLimits, name: 'reads', level: 'read' });
    await changeAccount(as(`key:${key.id}`), account, { webhookUrl: null });
    await note(`key:${key.id}`, 'account.changed');
    const stranger = `${await lastAct().then((act) => `act_${BigInt(act.slice(4)) - 2n}`)}: it names ${unknown.slice(7)}, which is not there`;
    assert.deepEqual((await says()).sort(), [...wrong, stranger].sort());
  });

  test('reports a right that was in the row for a moment when the gateway signed it', async () => {
    const mine = await person(false, 'member');
    const { pool } = home.database;
    const known = await says();
    await pool.query('update people set is_operator = true where id = $1', [mine.id]);
    await changePassword(as(`person:${mine.id}`), mine.id, { before: 'a hash', hash: 'my next', keep: '' });
    const act = await lastAct();
    await suspendAccount(as(`person:${mine.id}`), account);
    await pool.query('update people set is_operator = false where id = $1', [mine.id]);
    const found = (await says()).filter((finding) => !known.includes(finding));
    assert.ok(found.includes(`${act}: it makes an operator, or ends one, and does not say so`), found.join('\n'));
  });
});
