/** What is one's own: the browsers one is signed in with, and the password. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { passwordField } from '../../../domain/accounts/person-rules.ts';
import { changePassword, findCredentials } from '../../../accounts/people.ts';
import { endOtherSessions, endSession, listSessions } from '../../../accounts/sessions.ts';
import { listObject } from '../../lists/list-page.ts';
import { personCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { hashPassword, isPassword } from '../passwords.ts';
import { clearSessionCookie } from '../signed-in.ts';
import { typed } from './session.ts';

const signInRecord = z.strictObject({
  object: z.literal('sign_in'),
  id: z.string(),
  /** The browser that asks. */
  is_current: z.boolean(),
  user_agent: z.string(),
  address: z.string(),
  created: z.int(),
  /** To the minute. */
  last_seen: z.int(),
  expires: z.int(),
});

const listSignIns = personCall({
  method: 'get',
  path: '/profile/sessions',
  id: 'listSessions',
  summary: 'The browsers that you are signed in with, the last used first',
  answer: listOf(signInRecord),
  handle: async ({ deps, person, sessionId }) =>
    listObject(
      { rows: await listSessions(deps.database, person.id), nextCursor: null },
      (session): z.input<typeof signInRecord> => ({
        object: 'sign_in',
        id: session.id,
        is_current: session.id === sessionId,
        user_agent: session.userAgent,
        address: session.address,
        created: unixSeconds(session.createdAt),
        last_seen: unixSeconds(session.seenAt),
        expires: unixSeconds(session.expiresAt),
      }),
    ),
});

const endSignIn = personCall({
  method: 'delete',
  path: '/profile/sessions/{session}',
  id: 'endSession',
  summary: 'Sign one of your browsers out',
  answer: z.void(),
  handle: async ({ ctx, deps, person, sessionId, params: { session = '' } }) => {
    const isThere = sessionForm.test(session) && (await endSession(deps.database, person.id, session));
    if (!isThere) throw new GatewayError('route_not_found', 'You have no session with this id.');
    if (session === sessionId) clearSessionCookie(ctx, deps);
  },
});

const endOtherSignIns = personCall({
  method: 'delete',
  path: '/profile/sessions',
  id: 'endOtherSessions',
  summary: 'Sign all your other browsers out',
  answer: z.strictObject({ object: z.literal('sessions_ended'), count: z.int() }),
  handle: async ({ deps, person, sessionId }) => ({
    object: 'sessions_ended',
    count: await endOtherSessions(deps.database, person.id, sessionId),
  }),
});

const changePasswordCall = personCall({
  method: 'put',
  path: '/profile/password',
  id: 'changePassword',
  summary: 'Set a new password; signs all your other browsers out',
  body: z.strictObject({ current_password: typed, new_password: passwordField }),
  answer: z.void(),
  handle: async ({ ctx, deps, person, sessionId, by, body }) => {
    // In a browser that was left signed in, a finder may guess no more often than at the door. Strangers elsewhere don't count.
    const attempt = { email: person.email, address: deps.callerAddress(ctx.req), browser: sessionId };
    await deps.attempts.begin(attempt);
    const before = (await findCredentials(deps.database, deps.secrets.ledgerKeys, person.email))?.passwordHash;
    if (!(await isPassword(body.current_password, before)) || before === undefined) throw wrong();
    await deps.attempts.succeeded(attempt);
    const hash = await hashPassword(body.new_password);
    // It may have been changed in another tab in this moment; then what was typed is the one of before.
    if (!(await changePassword(by, person.id, { before, hash, keep: sessionId }))) throw wrong();
  },
});

export const profileCalls = [listSignIns, endSignIn, endOtherSignIns, changePasswordCall];

const sessionForm = /^ses_[0-9a-f]{32}$/;
const wrong = (): GatewayError =>
  new GatewayError('invalid_parameter', "'current_password' is not your password.", { param: 'current_password' });
