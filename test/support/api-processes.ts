/** API processes as they run in production, each of its own, over one database and one model that leads to a stand-in. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccountId } from '../../src/domain/ids.ts';
import { parseAmount } from '../../src/domain/money.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import type { Administrator } from '../../src/ledger/audit-log.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createApiKey, type NewApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import type { Database } from '../../src/postgres/database.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { chatPath } from './chat-gateway.ts';
import { freshDatabase, fromTestRun } from './database.ts';
import { bearer } from './gateway.ts';
import { type Environment, Installation, ready, type Running } from './process.ts';

export interface ApiProcess {
  running: Running;
  url: string;
  /** Sends a chat call, or one of another path. */
  open: (headers: Record<string, string>, body: unknown, path?: string) => Promise<Response>;
}

export interface ApiProcesses {
  apis: ApiProcess[];
  home: Installation;
  /** Starts one more, with other options than the first ones. */
  startAnother: (options: readonly string[]) => Promise<ApiProcess>;
  database: Database;
  groups: GroupCommitter;
  ledgerKey: Buffer;
  /** An account with so much money, and the header of a key of it. */
  newCustomer: (
    balance: string,
    limits?: Partial<NewApiKey>,
  ) => Promise<{ account: AccountId; headers: Record<string, string> }>;
  stop(): Promise<void>;
}

const secret = 'a secret of the tests with 40 characters';
/** What a process takes to start where the machine has much else to do. */
const upMsMax = 180_000;

/**
 * Starts so many processes, with `env` besides; the model `chat-one` of all leads to this upstream, for a thousand CNY a
 * million tokens.
 */
export async function startApiProcesses(
  count: number,
  upstreamUrl: string,
  env: Environment = {},
): Promise<ApiProcesses> {
  const ledgerKey = deriveKeys([secret]).first.ledger;
  const made = await freshDatabase();
  const { database, url } = made;
  const groups = new GroupCommitter(database, ledgerKey);
  const by: Administrator = { database, ledgerKey, actor: 'tollgate' };
  const home = await Installation.make({
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: secret,
    ...env,
  });
  await writeFile(join(home.folder, 'tollgate.yaml'), configurationOf(upstreamUrl));
  return {
    apis: await Promise.all(Array.from({ length: count }, () => startApi(home))),
    home,
    startAnother: (options) => startApi(home, options),
    database,
    groups,
    ledgerKey,
    async newCustomer(balance, limits = {}) {
      const { id: account } = await createAccount(by, 'test');
      await new Ledger(groups).credit(account, parseAmount(balance) ?? assert.fail('no amount'), 'for a test');
      const options = { ...noLimits, name: 'test', level: 'chat' as const, ...limits };
      return { account, headers: bearer((await createApiKey(by, account, options)).secret) };
    },
    async stop() {
      await home.remove();
      await made.drop();
    },
  };
}

async function startApi(home: Installation, options: readonly string[] = []): Promise<ApiProcess> {
  const running = home.spawn(['api', ...options]);
  const url = await running.printed(/"address":"(http:[^"]+)"/, upMsMax);
  await ready(url, upMsMax);
  return {
    running,
    url,
    open: (headers, body, path = chatPath) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

const configurationOf = (url: string): string => `
providers:
  first: { kind: openai, base_url: '${url}', api_key: sk-of-the-operator-1, endpoints: [chat, messages] }
models:
  - id: chat-one
    kind: chat
    routes: [{ provider: first, model: upstream-one }]
    price: { input_per_million: 1000, output_per_million: 1000 }
`;
