/**
 * Coding agents against one gateway: each edits a file in a loop of tools, over the simulator and over a vendor that
 * keeps its own book, and says what to do where the gateway refuses its calls.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { audit } from '../../../src/audit/audit.ts';
import { moneyChecks, rowChecks } from '../../../src/audit/checks/all-checks.ts';
import { micros } from '../../../src/domain/money.ts';
import { assertAgrees } from '../../support/audited.ts';
import { fixRequest } from '../../support/tool-vendor/model.ts';
import type { Agent } from './agent.ts';
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts';
import { assertEachCallIsCharged, assertVendorAgrees } from './agent-books.ts';
import { aider } from './aider.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { opencode } from './opencode.ts';
import { qwenCode } from './qwen-code.ts';
import { runAgent } from './run-agent.ts';

let served: AgentGateway;
before(async () => {
  served = await startAgentGateway();
});
after(() => served.stop());

// Two at once: opencode waits for a minute before it says that a limit is spent, and aider is the longest to install.
describe('coding agents', { concurrency: 2 }, () => {
  for (const agent of [opencode, aider, claudeCode, codex, qwenCode]) describe(agent.name, () => testAgent(agent));
});

test('after all of them the ledger adds up', async () => {
  const { database, secrets } = served.gateway.core;
  assertAgrees(await audit({ database, ledgerKeys: [secrets.first.ledger] }, [...moneyChecks, ...rowChecks]));
});

function testAgent(agent: Agent): void {
  const fix = async (prompt: (greeting: string) => string, model: string) => {
    const { key, account } = await served.gateway.newKey({ balance: '100' });
    const ended = await runAgent(agent, { url: served.url, key, model }, prompt);
    const output = ended.stdout + ended.stderr;
    assert.equal(ended.greeting, 'Hello, world\n', output);
    assert.equal(ended.code, 0, output);
    assert.match(ended.stdout, /All fixed\./);
    return { key, account, path: agent.path };
  };

  test('it edits a file in a loop of tools, and every call is charged once', async () => {
    const script = (greeting: string) => `Fix the greeting. ${agent.script(greeting)}`;
    await assertEachCallIsCharged(served, await fix(script, 'sim-chat'));
  });

  for (const model of agent.isTranslated ? ['vendor-model', 'translated-model'] : ['vendor-model']) {
    test(`it does so with the ${model}, whose usage the ledger has call by call`, async () => {
      const run = await fix(fixRequest, model);
      await assertEachCallIsCharged(served, run);
      await assertVendorAgrees(served, run);
    });
  }

  const assertSays = async (words: RegExp, key: string, model = 'sim-chat') => {
    const { greeting } = await runAgent(agent, { url: served.url, key, model }, () => 'Hello', words);
    assert.equal(greeting, 'Helo, world\n');
  };

  test('without money it says that credit has to be added', async () => {
    const { key } = await served.gateway.newKey({ balance: '0' });
    await assertSays(agent.says.noMoney, key);
  });

  test('it names a model that is not there', () => assertSays(agent.says.noModel, served.gateway.key, 'sim-none'));

  test('it says that a key has spent what it may', async () => {
    const { key } = await served.gateway.newKey({ spendLimit: { amount: micros(1n), per: 'total' } });
    await assertSays(agent.says.limitSpent, key);
  });
}
