/** Who may call what of the console's API: every call is tried by everybody who may not. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Call } from '../../../src/api/console/console-call.ts';
import { calls } from '../../../src/api/console/all-calls.ts';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let member: ConsoleClient;
let stranger: ConsoleClient;
before(async () => {
  gateway = await sharedTestGateway();
  const { account } = gateway;
  const { id: another } = await createAccount(gateway.by, 'another');
  member = await signedIn(gateway, { memberships: [{ account, role: 'member' }] });
  stranger = await signedIn(gateway, { memberships: [{ account: another, role: 'owner' }] });
});
after(() => gateway.stop());

const ofNeeds = (...needs: Call['needs'][]) => calls.filter((call) => needs.includes(call.needs));
const nameOf = ({ method, path }: Call) => `${method.toUpperCase()} ${path}`;
const pathOf = ({ path }: Call) => path.replace('{account}', gateway.account).replace(/\{\w+\}/g, 'nothing');
const codeOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { code?: string } | undefined)?.code;

describe('without a session nothing is shown', () => {
  for (const call of ofNeeds('person', 'member', 'owner', 'operator')) {
    test(nameOf(call), async () => {
      const answer = await callConsole(gateway, '', call.method.toUpperCase(), pathOf(call), call.body && {});
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'not_signed_in']);
    });
  }
});

describe('an account of others is no account at all', () => {
  for (const call of ofNeeds('member', 'owner')) {
    test(nameOf(call), async () => {
      const answer = await stranger.call(call.method.toUpperCase(), pathOf(call), call.body && {});
      assert.deepEqual([answer.status, codeOf(answer)], [404, 'route_not_found']);
    });
  }
});

describe('a member reads, and changes nothing', () => {
  for (const call of ofNeeds('owner', 'operator')) {
    test(nameOf(call), async () => {
      const answer = await member.call(call.method.toUpperCase(), pathOf(call), call.body && {});
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'permission_denied']);
    });
  }
});

describe('a page of another address changes nothing', () => {
  for (const call of calls.filter(({ method }) => method !== 'get')) {
    test(nameOf(call), async () => {
      for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { Origin: '' }]) {
        const answer = await member.call(call.method.toUpperCase(), pathOf(call), call.body && {}, headers);
        assert.deepEqual([answer.status, codeOf(answer)], [403, 'origin_not_allowed']);
      }
    });
  }
});
