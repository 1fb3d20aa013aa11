/** Every rule of what may be set of keys and accounts: the refused value and the last allowed one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AccountChangeRequest,
  type KeyChangeRequest,
  type KeyRequest,
  parseAccountChanges,
  parseKeyChanges,
  parseKeyRequest,
} from '../../../src/domain/requests/account.ts';
import { accepts, refuses, type Refusal } from './cases.ts';

const now = new Date('2026-11-21T08:00:00Z');
const ids = (count: number) => Array.from({ length: count }, (_, index) => `model-${index}`);
const addresses = (count: number) => Array.from({ length: count }, (_, index) => `10.0.0.${index}`);
const limitsTo = (...windows: string[]) => windows.map((per) => ({ calls: 1, per }));
const wide = { minute: 1, hour: 1, day: 1, month: 1, total: 1 };

/** What is refused of the limits, whether the key is there already or not. */
const wrongLimits: readonly Refusal[] = [
  ['a misspelt limit', { call_limit: [] }, 'invalid_parameter', 'call_limit'],
  ['a misspelt limit of null', { spend_limits: null }, 'invalid_parameter', 'spend_limits'],
  ['models that are no array', { models: 'gpt' }, 'invalid_parameter', 'models'],
  ['an empty allow-list', { models: [] }, 'invalid_parameter', 'models'],
  ['1,001 models', { models: ids(1_001) }, 'invalid_parameter', 'models'],
  ['an empty model', { models: ['a', ''] }, 'invalid_parameter', 'models[1]'],
  ['a model of 257 characters', { models: ['a'.repeat(257)] }, 'invalid_parameter', 'models[0]'],
  ['a model with NUL', { models: ['a\0'] }, 'invalid_parameter', 'models[0]'],
  ['a model that is null', { models: [null] }, 'invalid_parameter', 'models[0]'],
  ['an address that is no array', { allowed_ips: '10.0.0.1' }, 'invalid_parameter', 'allowed_ips'],
  ['51 addresses', { allowed_ips: addresses(51) }, 'invalid_parameter', 'allowed_ips'],
  ['a host name', { allowed_ips: ['10.0.0.1', 'example.com'] }, 'invalid_parameter', 'allowed_ips[1]'],
  ['a prefix too long', { allowed_ips: ['10.0.0.0/33'] }, 'invalid_parameter', 'allowed_ips[0]'],
  ['an address that is a number', { allowed_ips: [167772161] }, 'invalid_parameter', 'allowed_ips[0]'],
  ['call limits that are no array', { call_limits: { calls: 1, per: 'day' } }, 'invalid_parameter', 'call_limits'],
  ['a call limit that is a text', { call_limits: ['60/minute'] }, 'invalid_parameter', 'call_limits[0]'],
  ['a call limit without calls', { call_limits: [{ per: 'day' }] }, 'missing_parameter', 'call_limits[0].calls'],
  ['a call limit without a window', { call_limits: [{ calls: 1 }] }, 'missing_parameter', 'call_limits[0].per'],
  ['an unknown window', { call_limits: limitsTo('day', 'week') }, 'invalid_parameter', 'call_limits[1].per'],
  ['a window twice', { call_limits: limitsTo('day', 'hour', 'day') }, 'invalid_parameter', 'call_limits[2].per'],
  ['six call limits', { call_limits: limitsTo(...Object.keys(wide), 'day') }, 'invalid_parameter', 'call_limits'],
  ['no calls', { call_limits: [{ calls: 0, per: 'day' }] }, 'invalid_parameter', 'call_limits[0].calls'],
  ['half a call', { call_limits: [{ calls: 1.5, per: 'day' }] }, 'invalid_parameter', 'call_limits[0].calls'],
  ['too many calls', { call_limits: [{ calls: 1e9 + 1, per: 'day' }] }, 'invalid_parameter', 'call_limits[0].calls'],
  [
    'a field that no call limit has',
    { call_limits: [{ calls: 1, per: 'day', burst: null }] },
    'invalid_parameter',
    'call_limits[0].burst',
  ],
  ['a spend limit that is a number', { spend_limit: 5 }, 'invalid_parameter', 'spend_limit'],
  ['a spend limit without an amount', { spend_limit: { per: 'day' } }, 'missing_parameter', 'spend_limit.amount'],
  ['a spend limit without a window', { spend_limit: { amount: 1 } }, 'missing_parameter', 'spend_limit.per'],
  ['an amount in a text', { spend_limit: { amount: '1', per: 'day' } }, 'invalid_parameter', 'spend_limit.amount'],
  ...[0, -1, 0.0000001, 0.1234567, 1_000_000_000, 1e300].map((amount): Refusal => [
    `a spend limit of ${amount} CNY`,
    { spend_limit: { amount, per: 'day' } },
    'invalid_parameter',
    'spend_limit.amount',
  ]),
  [
    'a field that no spend limit has',
    { spend_limit: { amount: 1, per: 'day', currency: 'CNY' } },
    'invalid_parameter',
    'spend_limit.currency',
  ],
  ['no running tasks', { max_running_tasks: 0 }, 'invalid_parameter', 'max_running_tasks'],
  ['more running tasks than a column counts', { max_running_tasks: 1e9 + 1 }, 'invalid_parameter', 'max_running_tasks'],
  ['running tasks in a text', { max_running_tasks: '3' }, 'invalid_parameter', 'max_running_tasks'],
  ...['tomorrow', '2027-01-31', '2027-01-31T00:00:00', '2027-02-30T00:00:00Z', 1_800_000_000].map(
    (expires_at): Refusal => [`the time ${expires_at}`, { expires_at }, 'invalid_parameter', 'expires_at'],
  ),
  ['a time that has passed', { expires_at: '2026-11-21T07:59:59Z' }, 'invalid_parameter', 'expires_at'],
  ['the time of now', { expires_at: '2026-11-21T16:00:00+08:00' }, 'invalid_parameter', 'expires_at'],
];

const takenLimits: readonly (readonly [what: string, body: object, read: KeyChangeRequest])[] = [
  ['1,000 models', { models: ids(1_000) }, { models: ids(1_000) }],
  ['a model twice', { models: ['a', 'b', 'a'] }, { models: ['a', 'b'] }],
  ['a model of 256 characters', { models: ['a'.repeat(256)] }, { models: ['a'.repeat(256)] }],
  [
    'a call limit a window',
    { call_limits: limitsTo(...Object.keys(wide)) },
    {
      callLimits: [
        { calls: 1, per: 'minute' },
        { calls: 1, per: 'hour' },
        { calls: 1, per: 'day' },
        { calls: 1, per: 'month' },
        { calls: 1, per: 'total' },
      ],
    },
  ],
  [
    'a micro-unit',
    { spend_limit: { amount: 0.000001, per: 'total' } },
    { spendLimit: { amount: 1n as never, per: 'total' } },
  ],
  [
    'an amount to the micro-unit',
    { spend_limit: { amount: 123_456_789.123456, per: 'day' } },
    { spendLimit: { amount: 123_456_789_123_456n as never, per: 'day' } },
  ],
  ['a running task', { max_running_tasks: 1 }, { maxRunningTasks: 1 }],
  ['a queue', { queue: true }, { queue: true }],
  [
    'addresses and ranges, each once and in one form',
    { allowed_ips: ['10.1.2.3/8', '10.0.0.0/8', '::ffff:192.0.2.1', '2001:DB8::/32'] },
    { allowedIps: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'] },
  ],
  ['50 addresses', { allowed_ips: addresses(50) }, { allowedIps: addresses(50) }],
  ['no addresses as all', { allowed_ips: [] }, { allowedIps: null }],
  ['addresses of null as all', { allowed_ips: null }, { allowedIps: null }],
  [
    'a time in another zone',
    { expires_at: '2027-01-31T08:00:00.5+08:00' },
    { expiresAt: new Date('2027-01-31T00:00:00.500Z') },
  ],
  [
    'limits of null',
    { models: null, call_limits: null, spend_limit: null, max_running_tasks: null, queue: null, expires_at: null },
    { models: null, callLimits: [], spendLimit: null, maxRunningTasks: null, queue: false, expiresAt: null },
  ],
];

const wrongNames: readonly Refusal[] = [
  ['an empty name', { name: '' }, 'invalid_parameter', 'name'],
  ['a blank name', { name: '  ' }, 'invalid_parameter', 'name'],
  ['a name of 201 characters', { name: '关'.repeat(201) }, 'invalid_parameter', 'name'],
  ['a name that a terminal would obey', { name: 'a\u001b[2J' }, 'invalid_parameter', 'name'],
  ['a name with half a character', { name: 'a\ud800' }, 'invalid_parameter', 'name'],
  ['a name that is a number', { name: 5 }, 'invalid_parameter', 'name'],
  ['a name of null', { name: null }, 'missing_parameter', 'name'],
];

describe('the body of a new key', () => {
  const parse = (body: unknown) => parseKeyRequest(body, now);
  const named = ([what, body, ...rest]: Refusal): Refusal => [what, { name: 'a', ...(body as object) }, ...rest];

  test('has no limits that it does not name, and makes a standard key', () => {
    assert.deepEqual(parse({ name: 'a' }), {
      name: 'a',
      level: 'standard',
      models: null,
      callLimits: [],
      spendLimit: null,
      maxRunningTasks: null,
      queue: false,
      expiresAt: null,
      allowedIps: null,
    });
  });
  refuses(
    [
      ['a body that is null', null, 'invalid_parameter', null],
      ['a body that is an array', [], 'invalid_parameter', null],
      ['a body without a name', { level: 'chat' }, 'missing_parameter', 'name'],
      ['an unknown level', { name: 'a', level: 'owner' }, 'invalid_parameter', 'level'],
      ['a secret that the caller chose', { name: 'a', key: 'sk-tg-mine' }, 'invalid_parameter', 'key'],
      ['a name that is no own field', { name: 'a', ['__proto__x']: 1 }, 'invalid_parameter', '__proto__x'],
      ...wrongNames,
      ...wrongLimits.map(named),
    ],
    parse,
  );
  accepts<KeyRequest>(
    [
      ['a name of 200 characters', { name: '关'.repeat(200) }, { name: '关'.repeat(200) }],
      ['a name of 200 characters beyond the basic plane', { name: '😀'.repeat(200) }, { name: '😀'.repeat(200) }],
      ['an admin key', { name: 'a', level: 'admin' }, { level: 'admin' }],
      ['a level of null as none', { name: 'a', level: null }, { level: 'standard' }],
      ...takenLimits.map(([what, body, read]) => [what, { name: 'a', ...body }, read] as const),
    ],
    parse,
  );

  test('repeats no more of a name than a line', () => {
    assert.throws(
      () => parse({ name: 'a', ['x'.repeat(1_000_000)]: 1 }),
      (error: unknown) => error instanceof Error && error.message.length < 500,
    );
  });
});

describe('the changes of a key', () => {
  const parse = (body: unknown) => parseKeyChanges(body, now);

  test('leave what they do not name', () => {
    assert.deepEqual(parse({}), {});
    assert.deepEqual(parse({ name: 'b' }), { name: 'b' });
  });
  refuses([['another level', { level: 'admin' }, 'invalid_parameter', 'level'], ...wrongNames, ...wrongLimits], parse);
  accepts<KeyChangeRequest>(takenLimits, parse);
});

describe('the changes of an account', () => {
  test('leave what they do not name', () => assert.deepEqual(parseAccountChanges({}), {}));
  refuses(
    [
      ['a body that is a text', 'x', 'invalid_parameter', null],
      ['a field that there is none of', { colour: 'red' }, 'invalid_parameter', 'colour'],
      ['an empty name', { name: '' }, 'invalid_parameter', 'name'],
      ['a balance', { balance: 1_000 }, 'invalid_parameter', 'balance'],
      ['an address that is no URL', { webhook_url: 'hooks' }, 'invalid_parameter', 'webhook_url'],
      ['an address of another scheme', { webhook_url: 'ftp://h.example/' }, 'invalid_parameter', 'webhook_url'],
      [
        'an address of 2,049 characters',
        { webhook_url: 'https://h.example/'.padEnd(2_049, 'a') },
        'invalid_parameter',
        'webhook_url',
      ],
      ['a threshold of 0', { low_balance: 0 }, 'invalid_parameter', 'low_balance'],
      ['a threshold below 0', { low_balance: -1 }, 'invalid_parameter', 'low_balance'],
      ['a threshold of seven decimals', { low_balance: 0.1234567 }, 'invalid_parameter', 'low_balance'],
      ['a threshold in a text', { low_balance: '5' }, 'invalid_parameter', 'low_balance'],
    ],
    parseAccountChanges,
  );
  accepts<AccountChangeRequest>(
    [
      ['an address', { webhook_url: 'https://h.example/a?b' }, { webhookUrl: 'https://h.example/a?b' }],
      ['no address', { webhook_url: null }, { webhookUrl: null }],
      ['a threshold', { low_balance: 2.5 }, { lowBalance: 2_500_000n as never }],
      ['no threshold', { low_balance: null }, { lowBalance: null }],
    ],
    parseAccountChanges,
  );
});
