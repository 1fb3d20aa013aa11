/** The people of an account and the links by which others may join; members see them, owners change them. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { accountRoles, emailField, roleField } from '../../../domain/accounts/person-rules.ts';
import { type Invitation, invite, listInvitations, revokeInvitation } from '../../../accounts/invitations.ts';
import { changeRole, listMembers, type Member, removeMember } from '../../../accounts/members.ts';
import { listObject } from '../../lists/list-page.ts';
import { accountCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const invitationsShownMax = 100;

const memberRecord = z.strictObject({
  object: z.literal('member'),
  /** Of the person. */
  id: z.string(),
  email: z.string(),
  role: z.enum(accountRoles),
  is_disabled: z.boolean(),
  since: z.int(),
});

const listMembersCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/members',
  id: 'listMembers',
  summary: 'The people of the account',
  needs: 'member',
  answer: listOf(memberRecord),
  handle: async ({ deps, account }) =>
    listObject({ rows: await listMembers(deps.database, account), nextCursor: null }, memberObject),
});

const changeMember = accountCall({
  method: 'patch',
  path: '/accounts/{account}/members/{person}',
  id: 'changeMember',
  summary: 'Give a person of the account another role',
  needs: 'owner',
  body: z.strictObject({ role: roleField }),
  answer: memberRecord,
  handle: async ({ account, by, params: { person = '' }, body: { role } }) => {
    const member = personForm.test(person) ? await changeRole(by, account, person, role) : undefined;
    if (!member) throw noMember();
    return memberObject(member);
  },
});

const removeMemberCall = accountCall({
  method: 'delete',
  path: '/accounts/{account}/members/{person}',
  id: 'removeMember',
  summary: 'Take a person out of the account',
  needs: 'owner',
  answer: z.void(),
  handle: async ({ account, by, params: { person = '' } }) => {
    if (!personForm.test(person) || !(await removeMember(by, account, person))) throw noMember();
  },
});

const invitationRecord = z.strictObject({
  object: z.literal('invitation'),
  id: z.string(),
  email: z.string(),
  role: z.enum(accountRoles).nullable(),
  state: z.enum(['open', 'used', 'revoked', 'expired']),
  created: z.int(),
  expires: z.int(),
});

const listInvitationsCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/invitations',
  id: 'listInvitations',
  summary: `The newest ${invitationsShownMax} one-time links of the account`,
  needs: 'member',
  answer: listOf(invitationRecord),
  handle: async ({ deps, account }) => {
    const rows = await listInvitations(deps.database, { account, limit: invitationsShownMax });
    return listObject({ rows, nextCursor: null }, invitationObject);
  },
});

const inviteCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/invitations',
  id: 'invite',
  summary: 'Make a one-time link by which a person joins the account; the answer shows its token this once',
  needs: 'owner',
  body: z.strictObject({ email: emailField, role: roleField }),
  answer: invitationRecord.extend({ token: z.string() }),
  handle: async ({ deps, account, by, body: { email, role } }) => {
    const members = await listMembers(deps.database, account);
    if (members.some((member) => member.email === email)) {
      throw new GatewayError(
        'invalid_parameter',
        "'email' belongs to a person who is already a member of this account.",
        {
          param: 'email',
        },
      );
    }
    const { invitation, token } = await invite(by, { email, account, role, makesOperator: false });
    return { ...invitationObject(invitation), token };
  },
});

const revokeInvitationCall = accountCall({
  method: 'delete',
  path: '/accounts/{account}/invitations/{invitation}',
  id: 'revokeInvitation',
  summary: 'Take a one-time link back',
  needs: 'owner',
  answer: z.void(),
  handle: async ({ account, by, params: { invitation = '' } }) => {
    if (!invitationForm.test(invitation) || !(await revokeInvitation(by, invitation, account)))
      throw new GatewayError('route_not_found', 'This account has no open link with this id.');
  },
});

export const teamCalls = [
  listMembersCall,
  changeMember,
  removeMemberCall,
  listInvitationsCall,
  inviteCall,
  revokeInvitationCall,
];

const memberObject = ({ id, email, role, isDisabled, since }: Member): z.input<typeof memberRecord> => ({
  object: 'member',
  id,
  email,
  role,
  is_disabled: isDisabled,
  since: unixSeconds(since),
});

const invitationObject = (invitation: Invitation): z.input<typeof invitationRecord> => ({
  object: 'invitation',
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  state: invitation.state,
  created: unixSeconds(invitation.createdAt),
  expires: unixSeconds(invitation.expiresAt),
});

const personForm = /^usr_[0-9a-f]{32}$/;
const invitationForm = /^inv_[0-9a-f]{32}$/;
const noMember = (): GatewayError => new GatewayError('route_not_found', 'This account has no person with this id.');
