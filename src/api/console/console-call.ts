/** The operations of the console's own API: what a record of them has besides what all operations have. */
import type * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import type { AccountRole } from '../../domain/accounts/person-rules.ts';
import type { Administrator } from '../../ledger/audit-log.ts';
import type { Person } from '../../accounts/people.ts';
import type { Ask, Handler, NoQuery, OperationFacts } from '../operation.ts';

/** Who may call: each contains the one before, but that an operator need not be of the account. */
export type Needs = 'none' | 'person' | 'member' | 'owner' | 'operator';

/** What a person is to the account of the path; operators may look into and administer every account. */
export type RoleHere = AccountRole | 'operator';

export interface PersonAsk<Query, Body> extends Ask<Query, Body> {
  person: Person;
  sessionId: string;
  /** In whose name the audit log has it. */
  by: Administrator;
}

export interface AccountAsk<Query, Body> extends PersonAsk<Query, Body> {
  account: AccountId;
  role: RoleHere;
}

interface Facts<Query extends z.ZodObject, Body extends z.ZodType, Answer> extends OperationFacts<Query, Answer> {
  body?: Body;
  /** Of an answer that the handler writes itself, its media type; `answer` is `z.void()` then, which is else a 204. */
  media?: string;
}

/** What is known of the caller once everything was checked that the call needs. */
export type Caller = Partial<Pick<AccountAsk<unknown, unknown>, 'person' | 'sessionId' | 'by' | 'account' | 'role'>>;

export interface Call extends Omit<Facts<z.ZodObject, z.ZodType, never>, 'answer'> {
  needs: Needs;
  answer: z.ZodType;
  /** A method, so that it takes what was parsed and checked by this very record. */
  run(ask: Ask<unknown, unknown> & Caller): unknown;
}

type WithoutBody = z.ZodUndefined;

/** A call that needs no session. */
export const publicCall = <Answer, Query extends z.ZodObject = NoQuery, Body extends z.ZodType = WithoutBody>({
  handle,
  ...facts
}: Facts<Query, Body, Answer> & { handle: Handler<Ask<z.output<Query>, z.output<Body>>, Answer> }): Call => ({
  ...facts,
  needs: 'none',
  run: handle,
});

const sessionCall =
  (needs: 'person' | 'operator') =>
  <Answer, Query extends z.ZodObject = NoQuery, Body extends z.ZodType = WithoutBody>({
    handle,
    ...facts
  }: Facts<Query, Body, Answer> & { handle: Handler<PersonAsk<z.output<Query>, z.output<Body>>, Answer> }): Call => ({
    ...facts,
    needs,
    run: handle,
  });

/** A call of any person who is signed in. */
export const personCall = sessionCall('person');

/** A call for operators only, `/operator/…`. */
export const operatorCall = sessionCall('operator');

/** A call on the account of the path, `/accounts/{account}/…`: `member` reads, `owner` changes. */
export const accountCall = <Answer, Query extends z.ZodObject = NoQuery, Body extends z.ZodType = WithoutBody>({
  handle,
  ...facts
}: Facts<Query, Body, Answer> & {
  needs: 'member' | 'owner';
  handle: Handler<AccountAsk<z.output<Query>, z.output<Body>>, Answer>;
}): Call => ({ ...facts, run: handle });
