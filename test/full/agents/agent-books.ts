/** The ledger after an agent's run, against what the agent was answered and what the vendor counted. */
import assert from 'node:assert/strict';
import * as z from 'zod';
import type { AccountId } from '../../../src/domain/ids.ts';
import { until } from '../../support/process.ts';
import type { VendorTokens } from '../../support/tool-vendor/model.ts';
import type { AgentCall, AgentGateway } from './agent-gateway.ts';

interface Run {
  key: string;
  account: AccountId;
  /** The end of the path of the calls that cost something. */
  path: string;
}

/** Every call that was answered is charged once, and nothing else is. */
export async function assertEachCallIsCharged(served: AgentGateway, run: Run): Promise<void> {
  const answered = idsOf(answeredCalls(served, run));
  assert.ok(answered.length > 0);
  assert.deepEqual(idsOf(await captures(served, run, answered.length)), answered);
}

/** The vendor's book and the ledger's captures, joined by the request's id, count the same; prints what differs. */
export async function assertVendorAgrees(served: AgentGateway, run: Run): Promise<void> {
  const answered = answeredCalls(served, run);
  const ids = new Set(idsOf(answered));
  const booked = served.vendor.booked.filter(({ requestId }) => ids.has(requestId));
  const charged = await captures(served, run, answered.length);
  const inLedger = new Map(charged.map(({ requestId, tokens }) => [requestId, tokens]));
  const differences = booked.flatMap(({ requestId, path, tokens }) => {
    const [vendors, ours] = [textOf(tokens), textOf(inLedger.get(requestId))];
    return vendors === ours ? [] : [`${requestId} (${path}): the vendor has ${vendors}, the ledger has ${ours}`];
  });
  assert.deepEqual(differences, [], differences.join('\n'));
  assert.deepEqual(idsOf(booked), idsOf(charged), 'each call is in both books');
}

const answeredCalls = ({ calls }: AgentGateway, { key, path }: Run): AgentCall[] =>
  calls.filter((call) => call.key === key && call.status === 200 && call.path.endsWith(path));

const idsOf = (rows: readonly { requestId: string }[]): string[] => rows.map(({ requestId }) => requestId).sort();

const textOf = (tokens: VendorTokens | undefined): string =>
  tokens
    ? `${tokens.fresh} fresh, ${tokens.cacheRead} read, ${tokens.cacheWrite} written, ${tokens.output} output`
    : 'nothing';

const capture = z
  .object({ request_id: z.string(), lines: z.array(z.object({ unit: z.string(), units: z.number() })) })
  .transform(({ request_id: requestId, lines }) => {
    const count = (unit: string) => lines.find((line) => line.unit === unit)?.units ?? 0;
    const tokens: VendorTokens = {
      fresh: count('input_token'),
      cacheRead: count('cached_input_token'),
      cacheWrite: count('cache_write_token'),
      output: count('output_token'),
    };
    return { requestId, tokens };
  });

/** The captures of the account, once as many are there: calls are settled after their answers. */
async function captures(
  { gateway }: AgentGateway,
  { account }: Run,
  count: number,
): Promise<z.infer<typeof capture>[]> {
  const { pool } = gateway.core.database;
  return until(`${count} captures`, async () => {
    const text = `select request_id, lines from entries where account_id = $1 and type = 'capture'`;
    const { rows } = await pool.query(text, [account]);
    return rows.length >= count ? rows.map((row) => capture.parse(row)) : undefined;
  });
}
