/** What must hold when a drill is over, whatever was killed in it. */
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Load, Order } from './load.ts';
import type { DrillProvider } from './provider.ts';
import type { Receiver } from './receiver.ts';
import type { Strike } from './strikes.ts';
import { type Buyer, opening, type World } from './world.ts';

export interface Evidence {
  world: World;
  load: Load;
  providers: readonly DrillProvider[];
  receiver: Receiver;
  strikes: readonly Strike[];
  buyer: Buyer;
  /** Of another account, which must see nothing. */
  stranger: Buyer;
  /** Whether the sweep of what dead gateways held was waited for. */
  isSwept: boolean;
}

export interface Verdict {
  accepted: number;
  final: number;
  lost: number;
  doubleCreates: number;
  doubleCharges: number;
  ledgerDifferences: number;
  orphanedBlobs: number;
  /** What a killed step left in the store; maintenance's to delete. */
  leftBlobs: number;
  readByStranger: number;
  undeliveredWebhooks: number;
  /** Tasks that ended otherwise than their provider allowed. */
  wronglyEnded: number;
  /** Creations that were answered by an id while it was not known whether their task is there. */
  inDoubt: number;
  /** Those of them whose task was never there. */
  neverMade: number;
  openHolds: number;
  sweptHolds: number;
  /** Every broken promise in a sentence. */
  broken: string[];
}

const requestsAtOnce = 4;

export async function judge(evidence: Evidence): Promise<Verdict> {
  const { world, load, providers, receiver, strikes, buyer, stranger, isSwept } = evidence;
  const tasks = await tasksOf(world);
  const broken = [...load.wrong, ...world.endedByThemselves];
  const tell = (sentences: string[]): number => {
    broken.push(...sentences);
    return sentences.length;
  };
  const inDoubt = world.answeredInDoubt();
  const missing = [...load.orders.keys()].filter((id) => !tasks.has(id));
  const unknown = missing.filter((id) => !inDoubt.has(id));
  const all = [...tasks.values()];
  tell(providers.flatMap(({ unread }) => unread.map((path) => `the provider could not read ${path}`)));
  const money = await callsOf(world, buyer);
  const blobs = await strayBlobs(world, strikes);
  if (isSwept && money.open > 0) tell([`${money.open} holds of calls are neither settled nor swept`]);
  return {
    accepted: all.length + unknown.length,
    final: all.filter(({ ended }) => ended).length,
    lost: tell([
      ...unknown.map((id) => `${id} was answered to its caller, and there is no such task`),
      ...[...load.notFound].filter((id) => tasks.has(id)).map((id) => `${id} is there, and its caller did not find it`),
      ...all.filter(({ ended }) => !ended).map(({ id, state }) => `${id} is still ${state}`),
    ]),
    doubleCreates: tell([...doubleCreates(providers), ...ordersWithSeveral(all).map(sentenceOfTwo)]),
    doubleCharges: tell([
      ...all.flatMap(chargeOf),
      ...ordersWithSeveral(all.filter(isCharged)).map(sentenceOfTwoCharges),
    ]),
    ledgerDifferences: tell([...(await auditOf(world)), ...sumOf(all, money, buyer)]),
    orphanedBlobs: tell(blobs.orphaned),
    leftBlobs: blobs.left,
    readByStranger: tell(await readBy(stranger, world, all)),
    undeliveredWebhooks: tell(undelivered(load, receiver, tasks)),
    wronglyEnded: tell(all.flatMap((task) => wrongEnd(task, load.orders.get(task.id), providers))),
    inDoubt: inDoubt.size,
    neverMade: missing.length - unknown.length,
    openHolds: money.open,
    sweptHolds: money.swept,
    broken,
  };
}

const amount = z.bigint().nullable();
const taskRow = z.object({
  ...{ id: z.string(), state: z.string(), ended: z.boolean(), model: z.string(), error_code: z.string().nullable() },
  request_id: z.string(),
  ...{ cost: amount, holds: z.bigint(), captures: z.bigint(), charged: z.bigint(), held: z.bigint() },
});
type TaskRow = z.output<typeof taskRow>;

/** All tasks by their ids, with what their ledger entries come to. */
export async function tasksOf({ database }: Pick<World, 'database'>): Promise<Map<string, TaskRow>> {
  const { rows } = await database.pool.query(
    `select t.id, t.request_id, t.state, t.finished_at is not null as ended, t.model, t.error_code, t.cost,
       count(*) filter (where e.type = 'hold') as holds, count(*) filter (where e.type = 'capture') as captures,
       coalesce(sum(e.d_revenue), 0)::bigint as charged, coalesce(sum(e.d_held), 0)::bigint as held
     from tasks t left join entries e on e.task_id = t.id group by t.id`,
  );
  return new Map(rows.map((row) => taskRow.parse(row)).map((row) => [row.id, row]));
}

/** A capture for each success, of just its cost, and nothing for anything else. */
export function chargeOf({ id, state, cost, ended, holds, captures, charged, held }: TaskRow): string[] {
  const due = state === 'succeeded' ? (cost ?? 0n) : 0n;
  const isRight = holds === 1n && captures === (state === 'succeeded' ? 1n : 0n) && charged === due;
  if (isRight && (!ended || held === 0n)) return [];
  return [
    `${id} is ${state} and costs ${due}: ${captures} captures of ${charged} in all, ${holds} holds, held ${held}`,
  ];
}

/** The tasks that providers were given more than once. */
export function doubleCreates(providers: readonly DrillProvider[]): string[] {
  const all = providers.flatMap(({ jobs }) => [...jobs]);
  return all.filter(([, jobs]) => jobs.length > 1).map(([task, jobs]) => `${task} was bought ${jobs.length} times`);
}

/** Tasks that came of one order, more than one of each: all tries of an order have its request id. */
function ordersWithSeveral(tasks: readonly TaskRow[]): TaskRow[][] {
  const orders = new Map<string, TaskRow[]>();
  for (const task of tasks) orders.set(task.request_id, [...(orders.get(task.request_id) ?? []), task]);
  return [...orders.values()].filter(({ length }) => length > 1);
}

const isCharged = ({ charged }: TaskRow): boolean => charged > 0n;
const sentenceOfTwo = (tasks: readonly TaskRow[]): string =>
  `${tasks.map(({ id }) => id).join(' and ')} came of one order`;
const sentenceOfTwoCharges = (tasks: readonly TaskRow[]): string =>
  `one order was charged for each of ${tasks.map(({ id }) => id).join(' and ')}`;

/**
 * A provider's misbehaviour decides how a task may end, and no kill does but one: what was about to be sent when its worker
 * died can't be distinguished from what was sent, and fails by its deadline unless its provider knows repetitions.
 */
function wrongEnd(
  { id, state, model, error_code: code, ended }: TaskRow,
  order: Order | undefined,
  providers: readonly DrillProvider[],
): string[] {
  const jobs = providers.flatMap((provider) => provider.jobs.get(id) ?? []);
  const bought = model.startsWith('drill-') && state === 'succeeded' && jobs.length === 0;
  if (bought) return [`${id} succeeded, and its provider knows nothing of it`];
  const manner = order?.manner ?? jobs[0]?.manner;
  const isTimeout = state === 'failed' && code === 'upstream_timeout';
  if (!ended || (model === 'drill-hasty' && isTimeout)) return [];
  const isUnsent = jobs.length === 0 && (model === 'drill-image' || model === 'drill-video');
  if (model !== 'drill-hasty' && (state === 'succeeded' || (isUnsent && isTimeout))) return [];
  return [`${id} (${model}, ${manner ?? 'unknown manner'}) is ${state} ${code ?? ''}`];
}

function undelivered({ orders }: Load, { received }: Receiver, tasks: ReadonlyMap<string, TaskRow>): string[] {
  return [...orders.values()]
    .filter(({ id, hasWebhook }) => hasWebhook && tasks.get(id)?.ended === true && !received.has(id))
    .map(({ id }) => `the webhook of ${id} was never delivered`);
}

interface Calls {
  charged: bigint;
  open: number;
  swept: number;
  available: bigint;
  held: bigint;
}

/** What was charged for calls, and what became of their holds. */
async function callsOf({ database }: World, { account }: Buyer): Promise<Calls> {
  const { rows } = await database.pool.query(
    `select coalesce(sum(d_revenue) filter (where task_id is null), 0)::bigint as charged,
       count(*) filter (where reason = 'owner_lost')::int as swept,
       (select count(*)::int from holds where account_id = $1 and state = 'held') as open,
       (select available from accounts where id = $1) as available, (select held from accounts where id = $1) as held
     from entries where account_id = $1`,
    [account],
  );
  const calls = { charged: z.bigint(), open: z.number(), swept: z.number(), available: z.bigint(), held: z.bigint() };
  return z.object(calls).parse(rows[0]);
}

/** What the account has left is what it began with, without what was charged. */
function sumOf(tasks: readonly TaskRow[], { charged, available, held }: Calls, { account }: Buyer): string[] {
  const spent = tasks.reduce((sum, { cost }) => sum + (cost ?? 0n), charged);
  if (available + held === opening - spent) return [];
  return [`${account} has ${available} and ${held} held, where ${opening - spent} is left of its money`];
}

const auditReport = z.object({
  agrees: z.boolean(),
  findings: z.array(z.object({ check: z.string(), subject: z.string(), says: z.string() })),
});

/** What the command that operators run has found. */
export async function auditOf({ home }: Pick<World, 'home'>): Promise<string[]> {
  const { stdout, stderr } = await home.run(['audit', '--deep', '--json']);
  if (stdout === '') return [`the audit did not run: ${stderr}`];
  const { agrees, findings } = auditReport.parse(JSON.parse(stdout));
  const sentences = findings.map(({ check, subject, says }) => `audit: ${check} ${subject} ${says}`);
  return agrees || sentences.length > 0 ? sentences : ['the audit does not agree, and says nothing'];
}

const keyRow = z.object({ key: z.string() });

/**
 * Files that no row names. One of a task that was under way at a blow may be what the dead step had stored, and an upload
 * what its dead gateway had taken; nothing explains any other.
 */
async function strayBlobs(world: World, strikes: readonly Strike[]): Promise<{ orphaned: string[]; left: number }> {
  const { rows } = await world.database.pool.query(
    `select f ->> 'blobKey' as key from tasks, jsonb_array_elements(files) as f where removed_at is null
     union all select value ->> 'blobKey' from tasks, jsonb_each(uploads) where removed_at is null
     union all select answer from idempotency_keys where state = 'done' and answer <> ''`,
  );
  const named = new Set(rows.map((row) => keyRow.parse(row).key));
  const struck = new Set(strikes.flatMap(({ tasks }) => tasks));
  const stray = (await filesBelow(world.blobs)).filter((path) => !named.has(path));
  const explained = stray.filter((path) => struck.has(path.split('/')[1] ?? ''));
  const uploads = stray.filter((path) => path.startsWith('uploads/'));
  const takenMost = 2 * strikes.reduce((sum, { hit }) => sum + (hit.get('upload under way') ?? 0), 0);
  const isExplained = (path: string) => explained.includes(path) || uploads.indexOf(path) < takenMost;
  const orphaned = stray.filter((path) => !isExplained(path)).map((path) => `no row names the blob ${path}`);
  return { orphaned, left: stray.length - orphaned.length };
}

/** Without what is being written. */
async function filesBelow(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('.'));
}

/** Every task's record, asked for with the key of an account that has nothing to do with it. */
async function readBy({ key }: Buyer, { urls }: World, tasks: readonly TaskRow[]): Promise<string[]> {
  const limit = pLimit(requestsAtOnce);
  const asked = tasks.map(({ id }) =>
    limit(async () => {
      const answer = await fetch(`${urls[0]}${addressOf(id)}`, { headers: { Authorization: `Bearer ${key}` } });
      await answer.arrayBuffer();
      return answer.status === 404 ? [] : [`another account was answered ${answer.status} for ${id}`];
    }),
  );
  return (await Promise.all(asked)).flat();
}

const addressOf = (id: string): string => {
  const [prefix] = id.split('_');
  const path = { img: 'images/generations', vid: 'video/generations', avt: 'svctalk/generate' }[prefix ?? ''];
  return `/v1/${path}/${id}`;
};
