/** Signing in and out, and who is signed in. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import { accountRoles, emailField, passwordCharactersMax } from '../../../domain/accounts/person-rules.ts';
import { findCredentials, membershipsOf, type Person } from '../../../accounts/people.ts';
import { beginSession, endSession } from '../../../accounts/sessions.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import type { Attempt } from '../sign-in-attempts.ts';
import { currencyField } from '../../presenters/currency.ts';
import { personCall, publicCall } from '../console-call.ts';
import { knownBrowser, rememberBrowser } from '../known-browser.ts';
import { isPassword } from '../passwords.ts';
import { clearSessionCookie, setSessionCookie } from '../signed-in.ts';

/** Who is signed in, and the accounts that are theirs. */
export const sessionObject = z.strictObject({
  object: z.literal('session'),
  id: z.string(),
  currency: currencyField,
  person: z.strictObject({ id: z.string(), email: z.string(), is_operator: z.boolean() }),
  accounts: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      role: z.enum(accountRoles),
      status: z.enum(['active', 'suspended']),
      time_zone: z.string(),
    }),
  ),
});

const getSession = personCall({
  method: 'get',
  path: '/session',
  id: 'getSession',
  summary: 'Who is signed in',
  answer: sessionObject,
  handle: ({ deps, person, sessionId }) => presentSession(deps, person, sessionId),
});

const wrong = 'Wrong e-mail address or password.';
/** A password that is to be checked, not chosen. */
export const typed = z.string('must be a string').max(4 * passwordCharactersMax, 'is too long');

const signIn = publicCall({
  method: 'post',
  path: '/session',
  id: 'signIn',
  summary: 'Sign in',
  body: z.strictObject({ email: emailField, password: typed }),
  answer: sessionObject,
  handle: async ({ ctx, deps, body: { email, password } }) => {
    const attempt = attemptAt(ctx, deps, email);
    await deps.attempts.begin(attempt);
    const known = await findCredentials(deps.database, deps.secrets.ledgerKeys, email);
    const isRight = await isPassword(password, known?.passwordHash);
    if (!known || !isRight || known.person.isDisabled) throw new GatewayError('wrong_password', wrong);
    await deps.attempts.succeeded(attempt);
    return begin(ctx, deps, known);
  },
});

const signOut = personCall({
  method: 'delete',
  path: '/session',
  id: 'signOut',
  summary: 'Sign out',
  answer: z.void(),
  handle: async ({ ctx, deps, person, sessionId }) => {
    await endSession(deps.database, person.id, sessionId);
    clearSessionCookie(ctx, deps);
  },
});

export const sessionCalls = [getSession, signIn, signOut];

/** A password that is tried at the door. */
export const attemptAt = (ctx: ApiContext, deps: ApiDependencies, email: string): Attempt => ({
  email,
  address: deps.callerAddress(ctx.req),
  browser: knownBrowser(ctx, deps, email),
});

/** Begins a session of this person, whose password was checked or set, in the browser that asks. */
export async function begin(
  ctx: ApiContext,
  deps: ApiDependencies,
  { person, passwordHash }: { person: Person; passwordHash: string },
): Promise<z.input<typeof sessionObject>> {
  const begun = await beginSession(deps.database, deps.secrets.first.ledger, person.id, {
    userAgent: ctx.get('User-Agent').slice(0, userAgentCharactersMax),
    address: deps.callerAddress(ctx.req),
    passwordHash,
  });
  if (!begun) throw new GatewayError('wrong_password', wrong); // disabled, or another password, in this moment
  setSessionCookie(ctx, deps, begun.token, begun.expiresAt);
  rememberBrowser(ctx, deps, person.email);
  return presentSession(deps, person, begun.id);
}

const userAgentCharactersMax = 300;

async function presentSession(
  { configuration: { currency }, database }: ApiDependencies,
  person: Person,
  id: string,
): Promise<z.input<typeof sessionObject>> {
  const memberships = await membershipsOf(database, person.id);
  return {
    object: 'session',
    id,
    currency,
    person: { id: person.id, email: person.email, is_operator: person.isOperator },
    accounts: memberships.map(({ accountId, accountName, accountStatus, accountTimeZone, role }) => ({
      id: accountId,
      name: accountName,
      role,
      status: accountStatus,
      time_zone: accountTimeZone,
    })),
  };
}
