/** People at a test gateway's console: made in the database, signed in over its API. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import * as z from 'zod';
import type { AccountId } from '../../src/domain/ids.ts';
import type { AccountRole } from '../../src/domain/accounts/person-rules.ts';
import { createPerson, type Person } from '../../src/accounts/people.ts';
import type { TestGateway } from './gateway.ts';

export interface NewTestPerson {
  email?: string;
  /** What they are to which accounts; without any, owner of the gateway's own one. */
  memberships?: readonly { account: AccountId; role: AccountRole }[];
  isOperator?: boolean;
}

/** The password of all people of tests. */
export const password = 'correct horse battery';
/** As cheap as the library allows: checking one at the gateway's own cost takes 50 ms of CPU at each signing in. */
const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 };
let hashed: Promise<string> | undefined;

/** Makes a person who can sign in with `password`. */
export async function newPerson(
  { by, account }: TestGateway,
  { email, memberships, isOperator = false }: NewTestPerson = {},
): Promise<Person> {
  const person = await createPerson(by, {
    email: email ?? `p-${randomBytes(6).toString('hex')}@example.com`,
    passwordHash: await (hashed ??= hash(password, cheap)),
    isOperator,
    memberships: memberships ?? [{ account, role: 'owner' }],
  });
  assert.ok(person, 'no other person has this address');
  return person;
}

export interface ConsoleAnswer {
  status: number;
  headers: Headers;
  /** Of an answer without a body, an empty object. */
  body: Record<string, unknown>;
}

export interface ConsoleClient {
  person: Person;
  /** The cookie's pair. */
  cookie: string;
  /** Calls the API, by a path below `/console/api`, as a page of the console would. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ConsoleAnswer>;
  get(path: string): Promise<ConsoleAnswer>;
}

/** Makes a person and signs them in. */
export async function signedIn(gateway: TestGateway, wanted: NewTestPerson = {}): Promise<ConsoleClient> {
  const person = await newPerson(gateway, wanted);
  const answer = await callConsole(gateway, '', 'POST', '/session', { email: person.email, password });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const cookie = answer.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const call: ConsoleClient['call'] = (method, path, body, headers) =>
    callConsole(gateway, cookie, method, path, body, headers);
  return { person, cookie, call, get: (path) => call('GET', path) };
}

/** Calls the console's API with this cookie, from a page of the console unless the headers say otherwise. */
export async function callConsole(
  { url }: TestGateway,
  cookie: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ConsoleAnswer> {
  const response = await fetch(`${url}/console/api${path}`, {
    method,
    headers: {
      ...(cookie !== '' && { Cookie: cookie }),
      ...(method !== 'GET' && { Origin: url }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? z.record(z.string(), z.unknown()).parse(JSON.parse(text)) : {},
  };
}
