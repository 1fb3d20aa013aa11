/** `tollgate audit` on the database of a gateway that runs: what it prints, and its exit codes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { runningPostgres } from '../../../src/embedded/postgres-server.ts';
import { Installation } from '../../support/process.ts';

let home: Installation;
before(async () => {
  home = await Installation.make();
  await home.start();
});
after(() => home.remove());

test('all that agrees is said so, a changed row is named and ends it with 1, bad usage with 2', async () => {
  const good = await home.run(['audit']);
  assert.deepEqual([good.code, good.stderr], [0, '']);
  assert.match(good.stdout, /^Checked .*\d+ entr.* in [\d.]+ s\.\nNo discrepancies\.\n$/);

  const { id } = await home.json('accounts', 'create', '--name', 'Ada', '--balance', '2.5');
  const agreed = await home.json('audit', '--json');
  const { started, finished, looked, ...rest } = agreed;
  assert.deepEqual(rest, { object: 'audit', agrees: true, since: null, finding_count: 0, findings: [] });
  assert.ok(Date.parse(String(started)) <= Date.parse(String(finished)));
  assert.equal((looked as { entries: number }).entries, 2);

  const client = new pg.Client({ connectionString: await runningPostgres({ dataDir: home.dataDir }) });
  await client.connect();
  try {
    await client.query('update accounts set available = available + 1 where id = $1', [id]);
  } finally {
    await client.end();
  }
  const bad = await home.run(['audit']);
  assert.equal(bad.code, 1);
  assert.match(
    bad.stdout,
    new RegExp(`^chains  ${String(id)}  its row says 2500001 micro-units available, its entries 2500000$`, 'm'),
  );
  assert.equal(bad.stderr, 'The audit found 1 discrepancy.\n');
  const reported = await home.run(['audit', '--json', '--since', '2100-01-01T00:00:00Z']);
  assert.equal(reported.code, 1);
  const report = JSON.parse(reported.stdout) as { since: string; findings: { check: string; subject: string }[] };
  assert.equal(report.since, '2100-01-01T00:00:00.000Z');
  assert.deepEqual(
    report.findings.map(({ check, subject }) => [check, subject]),
    [['chains', id]],
  );

  const usage = await home.run(['audit', '--since', 'yesterday']);
  assert.deepEqual([usage.code, usage.stdout], [2, '']);
});
