/** Whether everything that gives a right carries the seal that the gateway made for it. */
import * as z from 'zod';
import { isSealed, type Right } from '../../ledger/access-seals.ts';
import { pagesOf } from '../audit.ts';
import type { Check, CheckContext } from '../check-context.ts';
import { inRange, type Ranged } from '../key-ranges.ts';

/** All rows whatever `since` says: a seal has no time, and they are few. */
export const rightsCheck: Check = {
  name: 'rights',
  async run(context) {
    await compare(context, 'api_keys', keysText, keyRow, ([id, account, level, hash, seal]) => [
      id,
      'its hash, account or level does not fit its seal, so it opens nothing',
      ['key', id, account, level, hash],
      seal,
    ]);
    await compare(context, 'people', peopleText, personRow, ([id, password, seal]) => [
      id,
      'the password does not fit its seal, so it opens nothing',
      ['password', id, password],
      seal,
    ]);
    await compare(context, 'people', operatorsText, operatorRow, ([id, email, seal]) => [
      id,
      'that it is an operator does not fit its seal, so it is none',
      ['operator', id, email],
      seal,
    ]);
    await compare(context, 'memberships', membershipsText, membershipRow, ([person, account, role, seal]) => [
      person,
      `its role in ${account} does not fit its seal, so it has none`,
      ['member', person, account, role],
      seal,
    ]);
    await compare(context, 'sessions', sessionsText, sessionRow, ([id, person, hash, seal]) => [
      person,
      `its session ${id} does not fit its seal, so it signs no one in`,
      ['session', id, person, hash],
      seal,
    ]);
    await compare(
      context,
      'invitations',
      invitationsText,
      invitationRow,
      ([id, hash, email, account, role, makesOperator, seal]) => [
        id,
        'what the link offers does not fit its seal, so it offers nothing',
        ['invitation', id, hash, email, account, role, makesOperator],
        seal,
      ],
    );
  },
};

type Judged = readonly [subject: string, says: string, right: Right, seal: Buffer | null];

async function compare<T>(
  context: CheckContext,
  ranged: Ranged,
  text: string,
  form: z.ZodType<T>,
  judge: (row: T) => Judged,
): Promise<void> {
  for await (const rows of pagesOf(context, ranged, text)) {
    for (const row of rows) {
      const [subject, says, right, seal] = judge(form.parse(row));
      if (!isSealed(context.ledgerKeys, right, seal)) context.found(subject, says);
    }
  }
}

const text = z.string();
const bytes = z.instanceof(Buffer);
const seal = bytes.nullable();

const keysText = `select id, account_id, level, hash, seal from api_keys where ${inRange('api_keys', 'id')}`;
const keyRow = z.tuple([text, text, text, bytes, seal]);
const peopleText = `select id, password_hash, password_seal from people where ${inRange('people', 'id')}`;
const personRow = z.tuple([text, text, seal]);
const operatorsText = `select id, email, operator_seal from people
  where (is_operator or operator_seal is not null) and ${inRange('people', 'id')}`;
const operatorRow = z.tuple([text, text, seal]);
const membershipsText = `select person_id, account_id, role, seal from memberships where ${inRange('memberships', 'person_id')}`;
const membershipRow = z.tuple([text, text, text, seal]);
const sessionsText = `select id, person_id, token_hash, seal from sessions where ${inRange('sessions', 'id')}`;
const sessionRow = z.tuple([text, text, bytes, seal]);
const invitationsText = `select id, token_hash, email, account_id, role, makes_operator, seal from invitations
  where closed_at is null and ${inRange('invitations', 'id')}`;
const invitationRow = z.tuple([text, bytes, text, text.nullable(), text.nullable(), z.boolean(), seal]);
