/** `tollgate people list|invite|link|disable|enable`: who may sign in to the console. The first person can't be invited there. */
import { type Command, InvalidArgumentError } from 'commander';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { type AccountRole, accountRoles, emailField } from '../../domain/accounts/person-rules.ts';
import { type Invitation, invite } from '../../accounts/invitations.ts';
import { findPersonByEmail, type ListedPerson, listPeople, setDisabled } from '../../accounts/operators.ts';
import type { Person } from '../../accounts/people.ts';
import type { Database } from '../../postgres/database.ts';
import { findFact } from '../../postgres/installation.ts';
import { withDatabase } from '../administration.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known, reasonOf } from './accounts.ts';

const pagePeople = 500;

interface InviteOptions {
  email: string;
  account?: string;
  role?: AccountRole;
  operator?: boolean;
  json?: boolean;
}

interface ReasonOptions {
  reason?: string;
  json?: boolean;
}

export function addPeopleCommands(program: Command): void {
  const people = program.command('people').description('list, invite and disable console users');

  people
    .command('list')
    .description('list console users, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const all = await listAllPeople(database);
        if (json === true)
          print(JSON.stringify({ object: 'list', data: all.map(listedObject), has_more: false, next_cursor: null }));
        else print(table(['ID', 'E-MAIL', 'STATE', 'OPERATOR', 'LAST SEEN', 'ACCOUNTS'], all.map(rowOf)));
      }),
    );

  people
    .command('invite')
    .description('create a one-time invitation link to an account, to the operator role, or both')
    .requiredOption('--email <address>', 'e-mail address of the person', emailOf)
    .option('--account <id>', 'the account to join')
    .option('--role <role>', "role in the account: 'owner' or 'member'", roleOf)
    .option('--operator', 'make the person an operator of the gateway')
    .option('--json', 'print the link as JSON')
    .action(async ({ email, account, role, operator = false, json }: InviteOptions, command: Command) => {
      if ((account === undefined) !== (role === undefined))
        command.error("error: '--account' and '--role' must be given together");
      if (account === undefined && !operator)
        command.error("error: specify '--account' with '--role', or '--operator'");
      await withDatabase(async ({ database, by }) => {
        const of = account === undefined ? null : (await known(database, account)).id;
        const person = await findPersonByEmail(database, email);
        if (person?.isDisabled) throw new Refusal(`${email} is disabled. Enable this person first.`);
        const made = await invite(by, { email, account: of, role: role ?? null, makesOperator: operator });
        await showLink(database, made, json);
      });
    });

  people
    .command('link <email>')
    .description("create a one-time link to reset a person's password")
    .option('--json', 'print the link as JSON')
    .action(async (email: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ database, by }) => {
        const person = await requirePerson(database, email);
        if (person.isDisabled) throw new Refusal(`${person.email} is disabled. Enable this person first.`);
        const offer = { email: person.email, account: null, role: null, makesOperator: false };
        await showLink(database, await invite(by, offer), json);
      }),
    );

  people
    .command('disable <email>')
    .description('disable sign-in for a person and end their sessions; not for the last operator')
    .option('--reason <text>', 'stored in the audit log', reasonOf)
    .option('--json', 'print the person as JSON')
    .action(async (email: string, { reason, json }: ReasonOptions) =>
      withDatabase(async ({ database, by }) => {
        const person = await requirePerson(database, email);
        if ((await setDisabled(by, person, true, reason)) === 'last')
          throw new Refusal(`${person.email} is the last operator. Invite another operator first.`);
        showPerson({ ...person, isDisabled: true }, json);
      }),
    );

  people
    .command('enable <email>')
    .description('enable sign-in for a person again')
    .option('--reason <text>', 'stored in the audit log', reasonOf)
    .option('--json', 'print the person as JSON')
    .action(async (email: string, { reason, json }: ReasonOptions) =>
      withDatabase(async ({ database, by }) => {
        const person = await requirePerson(database, email);
        await setDisabled(by, person, false, reason);
        showPerson({ ...person, isDisabled: false }, json);
      }),
    );
}

async function requirePerson(database: Database, email: string): Promise<Person> {
  const person = await findPersonByEmail(database, email.trim().toLowerCase());
  if (!person) throw new Refusal(`No person has the address ${email}.`);
  return person;
}

async function listAllPeople(database: Database): Promise<ListedPerson[]> {
  const all: ListedPerson[] = [];
  for (let before: string | undefined; ;) {
    const page = await listPeople(database, {}, { limit: pagePeople, before });
    all.push(...page);
    if (page.length < pagePeople) return all;
    before = page.at(-1)?.id;
  }
}

function emailOf(text: string): string {
  const email = emailField.safeParse(text);
  if (email.success) return email.data;
  throw new InvalidArgumentError('Must be an e-mail address of at most 255 ASCII characters.');
}

function roleOf(text: string): AccountRole {
  const role = accountRoles.find((one) => one === text);
  if (role) return role;
  throw new InvalidArgumentError("Must be 'owner' or 'member'.");
}

const personObject = ({ id, email, isOperator, isDisabled, createdAt }: Person) => ({
  object: 'person',
  id,
  email,
  is_operator: isOperator,
  is_disabled: isDisabled,
  created: unixSeconds(createdAt),
});

const listedObject = ({ accounts, lastSeenAt, joinedBy, ...person }: ListedPerson) => ({
  ...personObject(person),
  last_seen: lastSeenAt && unixSeconds(lastSeenAt),
  joined_by_account: joinedBy,
  accounts,
});

const rowOf = ({ id, email, isDisabled, isOperator, lastSeenAt, accounts }: ListedPerson) => [
  id,
  email,
  isDisabled ? 'disabled' : 'active',
  isOperator ? 'yes' : 'no',
  lastSeenAt ? lastSeenAt.toISOString().replace(/\.\d+Z$/, 'Z') : '-',
  accounts.map((account) => `${account.id} (${account.role})`).join(', ') || '-',
];

function showPerson(person: Person, json: boolean | undefined): void {
  const { id, email, isDisabled } = person;
  show(personObject(person), json, `${id}  ${email}  ${isDisabled ? 'disabled' : 'active'}`);
}

/** The address is the one that an API process stored last in this database; before the first, only the path is known. */
async function showLink(
  database: Database,
  { invitation, token }: { invitation: Invitation; token: string },
  json: boolean | undefined,
): Promise<void> {
  const link = `${(await findFact(database, 'public_url')) ?? ''}/console/invitation#${token}`;
  const { id, email, account, role, makesOperator, expiresAt } = invitation;
  const object = {
    object: 'invitation',
    id,
    email,
    account_id: account,
    role,
    is_operator: makesOperator,
    expires: unixSeconds(expiresAt),
    link,
  };
  show(
    object,
    json,
    `${link}\nFor ${email}, valid until ${expiresAt.toISOString()}. It can be used once and is shown only once.`,
  );
}
