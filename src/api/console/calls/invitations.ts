/** Using a one-time link: what it offers, and taking it up with a password of one's own. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import { accountRoles, passwordField } from '../../../domain/people.ts';
import { acceptInvitation, findOpenInvitation } from '../../../storage/console/invitations.ts';
import { publicCall } from '../call.ts';
import { hashPassword } from '../passwords.ts';
import { begin, sessionObject } from './session.ts';

/** In the body, since addresses are logged. */
const token = z.string('must be the part of the link behind #').max(100, 'must be the part of the link behind #');

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
  }),
  handle: async ({ deps, body }) => {
    const invitation = await findOpenInvitation(deps.database, body.token);
    if (!invitation) throw usedUp();
    const { email, accountName, role, makesOperator } = invitation;
    return { object: 'invitation', email, account_name: accountName, role, is_operator: makesOperator };
  },
});

const acceptCall = publicCall({
  method: 'post',
  path: '/invitations/accept',
  id: 'acceptInvitation',
  summary: 'Take up a one-time link: set a password and be signed in',
  body: z.strictObject({ token, password: passwordField }),
  answer: sessionObject,
  handle: async ({ ctx, deps, body }) => {
    // Hashing costs 50 ms: not for links that are no good.
    if (!(await findOpenInvitation(deps.database, body.token))) throw usedUp();
    const tools = { database: deps.database, ledgerKey: deps.secrets.first.ledger };
    const person = await acceptInvitation(tools, body.token, await hashPassword(body.password));
    if (!person) throw usedUp();
    return begin(ctx, deps, person);
  },
});

export const invitationCalls = [lookAtInvitation, acceptCall];

const usedUp = (): GatewayError =>
  new GatewayError(
    'route_not_found',
    'This link was used already, has expired, or was taken back. Ask whoever sent it for a new one.',
  );
