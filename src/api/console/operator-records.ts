/** Records that several calls of operators answer: who acted, one-time links, and times. */
import * as z from 'zod';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { accountRoles } from '../../domain/accounts/person-rules.ts';
import type { Invitation } from '../../accounts/invitations.ts';

/** Who acted: a person, a key, a user of the machine at the command line, or Tollgate itself. */
export const actorRecord = z.strictObject({
  /** As the audit log has it. */
  id: z.string(),
  kind: z.enum(['person', 'key', 'cli', 'tollgate']),
  /** The e-mail address, the key's name, the machine's user; null of who is not known any more. */
  name: z.string().nullable(),
});

export function actorObject(actor: string, name: string | null): z.input<typeof actorRecord> {
  if (actor.startsWith('person:')) return { id: actor, kind: 'person', name };
  if (actor.startsWith('key:')) return { id: actor, kind: 'key', name };
  if (actor.startsWith('cli:')) return { id: actor, kind: 'cli', name: actor.slice('cli:'.length) };
  return { id: actor, kind: 'tollgate', name: null };
}

const invitationFields = {
  object: z.literal('invitation'),
  id: z.string(),
  email: z.string(),
  account_id: z.string().nullable(),
  account_name: z.string().nullable(),
  role: z.enum(accountRoles).nullable(),
  is_operator: z.boolean(),
  state: z.enum(['open', 'used', 'revoked', 'expired']),
  created: z.int(),
  expires: z.int(),
};
export const invitationRecord = z.strictObject({ ...invitationFields, invited_by: actorRecord });

/** A one-time link that was just made; its token is shown this once. */
export const linkRecord = z.strictObject({ ...invitationFields, token: z.string() });

export const invitationObject = (invitation: Invitation) => ({
  object: 'invitation' as const,
  id: invitation.id,
  email: invitation.email,
  account_id: invitation.account,
  account_name: invitation.accountName,
  role: invitation.role,
  is_operator: invitation.makesOperator,
  state: invitation.state,
  created: unixSeconds(invitation.createdAt),
  expires: unixSeconds(invitation.expiresAt),
});

export const linkObject = ({ invitation, token }: { invitation: Invitation; token: string }) => ({
  ...invitationObject(invitation),
  token,
});
