/** `tollgate people list|invite|link|disable|enable`: who may sign in to the console. Nobody can invite the first one there. */
import { type Command, InvalidArgumentError } from 'commander';
import { type AccountRole, accountRoles, emailField } from '../../domain/accounts/person-rules.ts';
import { type Invitation, invite } from '../../accounts/invitations.ts';
import { findPersonByEmail, type ListedPerson, listPeople, setDisabled } from '../../accounts/operators.ts';
import type { Person } from '../../accounts/people.ts';
import type { Database } from '../../postgres/database.ts';
import { findFact } from '../../postgres/installation.ts';
import { withDatabase } from '../administration.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known, reasonOf } from './accounts.ts';

const page_people = 500;

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
  const people = program.command('people').description('see, invite and disable the people of the console');

  people
    .command('list')
    .description('list everybody who can sign in, newest first')
    .option('--json', 'print them as JSON')
    .action(async ({ json }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const all = await everybody(database);
        if (json === true)
          print(JSON.stringify({ object: 'list', data: all.map(listedObject), has_more: false, next_cursor: null }));
        else print(table(['ID', 'E-MAIL', 'STATE', 'OPERATOR', 'LAST SEEN', 'ACCOUNTS'], all.map(rowOf)));
      }),
    );

  people
    .command('invite')
    .description('make a one-time link by which somebody joins an account, becomes an operator, or both')
    .requiredOption('--email <address>', 'who it is for', emailOf)
    .option('--account <id>', 'the account they join')
    .option('--role <role>', "'owner' or 'member' of it", roleOf)
    .option('--operator', 'they become an operator of the gateway')
    .option('--json', 'print the link as JSON')
    .action(async ({ email, account, role, operator = false, json }: InviteOptions, command: Command) => {
      if ((account === undefined) !== (role === undefined))
        command.error("error: '--account' and '--role' go together");
      if (account === undefined && !operator)
        command.error("error: name what they are invited to: '--account' with '--role', or '--operator'");
      await withDatabase(async ({ database, by }) => {
        const of = account === undefined ? null : (await known(database, account)).id;
        const person = await findPersonByEmail(database, email);
        if (person?.isDisabled) throw new Refusal(`${email} may not sign in; enable them first.`);
        const made = await invite(by, { email, account: of, role: role ?? null, makesOperator: operator });
        await showLink(database, made, json);
      });
    });

  people
    .command('link <email>')
    .description('make a one-time link by which a person who is there sets a new password')
    .option('--json', 'print the link as JSON')
    .action(async (email: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ database, by }) => {
        const person = await named(database, email);
        if (person.isDisabled) throw new Refusal(`${person.email} may not sign in; enable them first.`);
        const offer = { email: person.email, account: null, role: null, makesOperator: false };
        await showLink(database, await invite(by, offer), json);
      }),
    );

  people
    .command('disable <email>')
    .description('keep a person from signing in, and end their sessions at once; never the last operator')
    .option('--reason <text>', 'kept in the log', reasonOf)
    .option('--json', 'print the person as JSON')
    .action(async (email: string, { reason, json }: ReasonOptions) =>
      withDatabase(async ({ database, by }) => {
        const person = await named(database, email);
        if ((await setDisabled(by, person, true, reason)) === 'last')
          throw new Refusal(`${person.email} is the last operator; invite another one first.`);
        showPerson({ ...person, isDisabled: true }, json);
      }),
    );

  people
    .command('enable <email>')
    .description('let a person sign in again')
    .option('--reason <text>', 'kept in the log', reasonOf)
    .option('--json', 'print the person as JSON')
    .action(async (email: string, { reason, json }: ReasonOptions) =>
      withDatabase(async ({ database, by }) => {
        const person = await named(database, email);
        await setDisabled(by, person, false, reason);
        showPerson({ ...person, isDisabled: false }, json);
      }),
    );
}

async function named(database: Database, email: string): Promise<Person> {
  const person = await findPersonByEmail(database, email.trim().toLowerCase());
  if (!person) throw new Refusal(`There is nobody with the address ${email}.`);
  return person;
}

async function everybody(database: Database): Promise<ListedPerson[]> {
  const all: ListedPerson[] = [];
  for (let before: string | undefined; ;) {
    const page = await listPeople(database, {}, { limit: page_people, before });
    all.push(...page);
    if (page.length < page_people) return all;
    before = page.at(-1)?.id;
  }
}

function emailOf(text: string): string {
  const email = emailField.safeParse(text);
  if (email.success) return email.data;
  throw new InvalidArgumentError('it must be an e-mail address of at most 255 ASCII characters.');
}

function roleOf(text: string): AccountRole {
  const role = accountRoles.find((one) => one === text);
  if (role) return role;
  throw new InvalidArgumentError("it must be 'owner' or 'member'.");
}

const personObject = ({ id, email, isOperator, isDisabled, createdAt }: Person) => ({
  object: 'person',
  id,
  email,
  is_operator: isOperator,
  is_disabled: isDisabled,
  created: Math.floor(createdAt.getTime() / 1000),
});

const listedObject = ({ accounts, lastSeenAt, joinedBy, ...person }: ListedPerson) => ({
  ...personObject(person),
  last_seen: lastSeenAt && Math.floor(lastSeenAt.getTime() / 1000),
  joined_by_account: joinedBy,
  accounts,
});

const rowOf = ({ id, email, isDisabled, isOperator, lastSeenAt, accounts }: ListedPerson) => [
  id,
  email,
  isDisabled ? 'disabled' : 'good',
  isOperator ? 'yes' : 'no',
  lastSeenAt ? lastSeenAt.toISOString().replace(/\.\d+Z$/, 'Z') : '-',
  accounts.map((account) => `${account.id} (${account.role})`).join(', ') || '-',
];

function showPerson(person: Person, json: boolean | undefined): void {
  const { id, email, isDisabled } = person;
  show(personObject(person), json, `${id}  ${email}  ${isDisabled ? 'disabled' : 'good'}`);
}

/** The address is the one that an API of this database told last; before there was one, only the path is known. */
async function showLink(
  database: Database,
  { invitation, token }: { invitation: Invitation; token: string },
  json: boolean | undefined,
): Promise<void> {
  const link = `${(await findFact(database, 'public_url')) ?? ''}/console/invitation#${token}`;
  const { id, email, account, role, makesOperator, expiresAt } = invitation;
  const told = {
    object: 'invitation',
    id,
    email,
    account_id: account,
    role,
    is_operator: makesOperator,
    expires: Math.floor(expiresAt.getTime() / 1000),
    link,
  };
  show(
    told,
    json,
    `${link}\nFor ${email}, until ${expiresAt.toISOString()}. It can be used once and is shown this once.`,
  );
}
