/** What commands say when a server can't be reached: the setting to look at, and nothing of other errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionFault } from '../../src/cli/connection-fault.ts';

const advice = "Check DATABASE_URL; 'npx tollgate doctor' tries every address of the settings.";
const failure = (message: string, facts: Record<string, unknown>) => Object.assign(new Error(message), facts);
const refused = failure('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED', address: '127.0.0.1', port: 1 });

test('a server that is not there is named with the setting to look at', () => {
  assert.equal(connectionFault(refused), `Could not connect to 127.0.0.1:1: connection refused. ${advice}`);
  const unknown = failure('getaddrinfo ENOTFOUND db.test', { code: 'ENOTFOUND', hostname: 'db.test' });
  assert.equal(connectionFault(unknown), `Could not connect to db.test: host not found. ${advice}`);
});

test('of a name with several addresses the first is named', () => {
  const all = Object.assign(new AggregateError([refused, refused], ''), { code: 'ECONNREFUSED' });
  assert.equal(connectionFault(all), `Could not connect to 127.0.0.1:1: connection refused. ${advice}`);
});

test('a database that refuses the user says why', () => {
  const wrong = failure('password authentication failed for user "gate"', { code: '28P01' });
  assert.equal(
    connectionFault(wrong),
    `The database refused the connection: password authentication failed for user "gate". ${advice}`,
  );
});

test('other errors are none of a connection', () => {
  assert.equal(connectionFault(failure('relation does not exist', { code: '42P01' })), undefined);
  assert.equal(connectionFault(new Error('no code')), undefined);
  assert.equal(connectionFault('text'), undefined);
});
