/**
 * The calls of the console's own API: one record each, of which the route, the checks, the parsing and the document are
 * made. What a call answers is checked against its schema by the compiler.
 */
import type * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import type { AccountRole } from '../../domain/accounts/person-rules.ts';
import type { Administrator } from '../../ledger/audit-log.ts';
import type { Person } from '../../accounts/people.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';

/** Who may call: each contains the one before, but that an operator need not be of the account. */
export type Needs = 'nobody' | 'person' | 'member' | 'owner' | 'operator';

/** What a person is to the account of the path; operators may look into and administer every account. */
export type RoleHere = AccountRole | 'operator';

export interface PublicAsk<Query, Body> {
  ctx: ApiContext;
  deps: ApiDependencies;
  /** Of the path. */
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
}

export interface PersonAsk<Query, Body> extends PublicAsk<Query, Body> {
  person: Person;
  sessionId: string;
  /** In whose name acts go into the log. */
  by: Administrator;
}

export interface AccountAsk<Query, Body> extends PersonAsk<Query, Body> {
  account: AccountId;
  role: RoleHere;
}

interface Facts<Query extends z.ZodObject, Body extends z.ZodType, Answer> {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** Below `/console/api`; parts of it in braces are parameters. */
  path: string;
  /** Its name in the client. */
  id: string;
  summary: string;
  query?: Query;
  body?: Body;
  /** JSON; `z.void()` answers 204. */
  answer: z.ZodType<unknown, Answer>;
  /** Of an answer that the handler writes itself, its media type; `answer` is `z.void()` then. */
  media?: string;
}

type Handler<Ask, Answer> = (ask: Ask) => Promise<Answer>;

/** What is known of an asker once everything was checked that the call needs. */
export type AnyAsk = Omit<AccountAsk<unknown, unknown>, 'person' | 'sessionId' | 'by' | 'account' | 'role'> &
  Partial<Pick<AccountAsk<unknown, unknown>, 'person' | 'sessionId' | 'by' | 'account' | 'role'>>;

export interface Call extends Omit<Facts<z.ZodObject, z.ZodType, never>, 'answer'> {
  needs: Needs;
  answer: z.ZodType;
  run: (ask: AnyAsk) => Promise<unknown>;
}

type Nothing = z.ZodObject<Record<string, never>>;
type NoBody = z.ZodUndefined;

/** A call that needs no session. */
export const publicCall = <Answer, Query extends z.ZodObject = Nothing, Body extends z.ZodType = NoBody>({
  handle,
  ...facts
}: Facts<Query, Body, Answer> & {
  handle: Handler<PublicAsk<z.output<Query>, z.output<Body>>, Answer>;
}): Call => ({
  ...facts,
  needs: 'nobody',
  run: (ask) => handle({ ...ask, ...parsed<Query, Body>(ask) }),
});

const sessionCall =
  (needs: 'person' | 'operator') =>
  <Answer, Query extends z.ZodObject = Nothing, Body extends z.ZodType = NoBody>({
    handle,
    ...facts
  }: Facts<Query, Body, Answer> & {
    handle: Handler<PersonAsk<z.output<Query>, z.output<Body>>, Answer>;
  }): Call => ({
    ...facts,
    needs,
    run: (ask) => handle({ ...ask, ...parsed<Query, Body>(ask), ...signedIn(ask) }),
  });

/** A call of whoever is signed in. */
export const personCall = sessionCall('person');

/** A call for operators only, `/operator/…`. */
export const operatorCall = sessionCall('operator');

/** A call on the account of the path, `/accounts/{account}/…`: `member` reads, `owner` changes. */
export const accountCall = <Answer, Query extends z.ZodObject = Nothing, Body extends z.ZodType = NoBody>({
  handle,
  ...facts
}: Facts<Query, Body, Answer> & {
  needs: 'member' | 'owner';
  handle: Handler<AccountAsk<z.output<Query>, z.output<Body>>, Answer>;
}): Call => ({
  ...facts,
  run: (ask) => {
    const { account, role } = ask;
    if (account === undefined || role === undefined) throw new TypeError(`${facts.path} names no account`);
    return handle({ ...ask, ...parsed<Query, Body>(ask), ...signedIn(ask), account, role });
  },
});

/** What `mount.ts` has parsed with the schemas of this very call. */
const parsed = <Query extends z.ZodObject, Body extends z.ZodType>({ query, body }: AnyAsk) => ({
  query: query as z.output<Query>,
  body: body as z.output<Body>,
});

function signedIn({ person, sessionId, by }: AnyAsk): Pick<PersonAsk<unknown, unknown>, 'person' | 'sessionId' | 'by'> {
  if (!person || sessionId === undefined || !by) throw new TypeError('nobody is signed in');
  return { person, sessionId, by };
}
