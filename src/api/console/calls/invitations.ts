/** Using a one-time link: what it offers, and taking it up with a password of one's own. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import { accountRoles, passwordField } from '../../../domain/accounts/person-rules.ts';
import { parseWith } from '../../../domain/requests/parse.ts';
import { acceptInvitation, findOpenInvitation, type Invitation, setsPassword } from '../../../accounts/invitations.ts';
import { findCredentials } from '../../../accounts/people.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { publicCall } from '../console-call.ts';
import { hashPassword, isPassword } from '../passwords.ts';
import { attemptAt, begin, sessionObject, typed } from './session.ts';

/** In the body, since addresses are logged. */
const token = z.string('must be the part of the link after #').max(100, 'must be the part of the link after #');

const lookAtInvitation = publicCall({
  method: 'post',
  path: '/invitations/look',
  id: 'lookAtInvitation',
  summary: 'What a one-time link offers',
  body: z.strictObject({ token }),
  answer: z.strictObject({
    object: z.literal('invitation'),
    email: z.string(),
    account_name: z.string().nullable(),
    role: z.enum(accountRoles).nullable(),
    is_operator: z.boolean(),
    /** Whether its addressee has a password here, to authenticate with; else they choose one. */
    keeps_password: z.boolean(),
  }),
  handle: async ({ deps, body }) => {
    const invitation = await findOpenInvitation(deps.database, deps.secrets.ledgerKeys, body.token);
    if (!invitation) throw usedUp();
    const { email, accountName, role, makesOperator } = invitation;
    const keeps = (await credentialsToProve(deps, invitation)) !== undefined;
    return {
      object: 'invitation',
      email,
      account_name: accountName,
      role,
      is_operator: makesOperator,
      keeps_password: keeps,
    };
  },
});

const acceptCall = publicCall({
  method: 'post',
  path: '/invitations/accept',
  id: 'acceptInvitation',
  summary: 'Take up a one-time link: set a password, or give the one you have, and be signed in',
  body: z.strictObject({ token, password: typed }),
  answer: sessionObject,
  handle: async ({ ctx, deps, body: { token, password } }) => {
    // Hashing costs 50 ms: not for links that are no good.
    const invitation = await findOpenInvitation(deps.database, deps.secrets.ledgerKeys, token);
    if (!invitation) throw usedUp();
    const known = await credentialsToProve(deps, invitation);
    if (known) await requirePassword(ctx, deps, invitation.email, { given: password, hash: known.passwordHash });
    const proof = known
      ? { passwordHash: known.passwordHash, proved: known.passwordHash }
      : { passwordHash: await hashPassword(parseWith(newPassword, { password }).password) };
    const { first, ledgerKeys } = deps.secrets;
    const tools = { database: deps.database, ledgerKey: first.ledger, ledgerKeys };
    const person = await acceptInvitation(tools, token, proof);
    if (!person) throw usedUp();
    return begin(ctx, deps, { person, passwordHash: proof.passwordHash });
  },
});

/** Of one that is there already nothing is asked but that it is right. */
const newPassword = z.object({ password: passwordField });

export const invitationCalls = [lookAtInvitation, acceptCall];

/** The password that the user of the link has to give: theirs, if they are there and it sets no new one. */
const credentialsToProve = async (
  { database, secrets }: ApiDependencies,
  invitation: Invitation,
): Promise<{ passwordHash: string } | undefined> =>
  setsPassword(invitation) ? undefined : findCredentials(database, secrets.ledgerKeys, invitation.email);

/** Refuses with `wrong_password`, and with `too_many_attempts` who guesses. */
async function requirePassword(
  ctx: ApiContext,
  deps: ApiDependencies,
  email: string,
  { given, hash }: { given: string; hash: string },
): Promise<void> {
  const attempt = attemptAt(ctx, deps, email);
  await deps.attempts.begin(attempt);
  if (!(await isPassword(given, hash))) throw new GatewayError('wrong_password', 'This is not your current password.');
  await deps.attempts.succeeded(attempt);
}

const usedUp = (): GatewayError =>
  new GatewayError(
    'route_not_found',
    'This link has been used, has expired or was revoked. Ask the person who sent it for a new one.',
  );
