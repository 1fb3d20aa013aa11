/**
 * Anchors: when an audit agrees, the heads of all chains are written down outside of the database, so that the next audit
 * sees whether the newest entries or acts were cut off since. The list of heads is a blob; its keyed hash, chained to that
 * of the anchor before, is also in the audit's row, in the log and in the result of the audit's workflow. An anchor is only
 * made of heads that still have the last one's links below them, or a cut would be forgotten: one made before the audit, and
 * one made while it ran.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { canonicalJson } from '../domain/json/canonical-json.ts';
import { type BlobStore, removeBlobs } from '../blobs/blob-store.ts';
import { type Anchor, pagesOf } from './audit.ts';
import type { Check, CheckContext } from './check-context.ts';
import { inRange } from './key-ranges.ts';
import type { Read, ShortReads } from './short-reads.ts';

/** Where the lists lie; no row names them, and no sweep comes by. */
export const anchorsFolder = 'anchors/';
/** The newest are kept: each holds all that those before held. */
const listsKept = 30;
const batchHeads = 1_000;
/** A line for each account, of some hundred bytes. */
const listBytesMax = 4 * 1024 ** 3;
const noAnchor = '0'.repeat(64);

export type AnchorBlobs = Pick<BlobStore, 'list' | 'read' | 'write' | 'remove'>;

/** Whether every head of the newest list is still a link of its chain, and the list the one that the newest anchor names. */
export const anchorsCheck = (blobs: AnchorBlobs): Check => ({
  name: 'anchors',
  async run(context) {
    const { read, found, looked } = context;
    const last = await lastAnchor(read);
    const newest = (await listsOf(blobs)).at(-1);
    if (newest === undefined) {
      if (last) found(subject, `the list of heads of anchor ${last.seq} is gone from the blob store`);
      return;
    }
    const seq = seqOf(newest);
    if (seq > (last?.seq ?? 0)) found(subject, `the audit that wrote anchor ${seq} is gone`);
    if (last && seq < last.seq) found(subject, `the list of heads of anchor ${last.seq} is gone from the blob store`);
    const mac = await compareList(context, blobs, newest);
    if (last && seq === last.seq && mac !== last.mac && newest === last.blob)
      found(subject, `the list of heads of anchor ${seq} is not the one that its audit wrote`);
    looked('anchors', 1);
  },
});

const subject = 'anchors';

/** Returns the keyed hash that the list ends with, if it is right. */
async function compareList(context: CheckContext, blobs: AnchorBlobs, key: string): Promise<string | undefined> {
  const { ledgerKeys, found } = context;
  const hash = createHash('sha256');
  let heads: Head[] = [];
  let mac: string | undefined;
  for await (const line of await linesOf(blobs, key)) {
    const end = endOfList.exec(line);
    if (end) {
      mac = end[1];
      continue;
    }
    hash.update(`${line}\n`);
    const head = headOf(line);
    if (head) heads.push(head);
    if (heads.length < batchHeads) continue;
    await compareHeads(context, heads);
    heads = [];
  }
  await compareHeads(context, heads);
  const digest = hash.digest();
  if (mac !== undefined && ledgerKeys.some((ledgerKey) => macOf(ledgerKey, digest) === mac)) return mac;
  found(subject, `the list of heads ${key} was changed: it does not fit its keyed hash`);
  return undefined;
}

interface Head {
  chain: string;
  seq: string;
  link: string;
}

async function compareHeads({ read, found }: CheckContext, heads: readonly Head[]): Promise<void> {
  if (heads.length === 0) return;
  const rows = await read(
    `select h.chain, h.seq from unnest($1::text[], $2::bigint[], $3::text[]) as h(chain, seq, link)
      where h.seq > 0 and h.link is distinct from case h.chain
        when 'acts' then (select encode(a.link, 'hex') from acts a where a.seq = h.seq)
        else (select encode(e.link, 'hex') from entries e where e.account_id = h.chain and e.seq = h.seq limit 1) end
        or h.chain <> 'acts' and not exists (select from accounts a where a.id = h.chain)`,
    [heads.map(({ chain }) => chain), heads.map(({ seq }) => seq), heads.map(({ link }) => link)],
  );
  for (const row of rows) {
    const [chain, seq] = z.tuple([z.string(), z.bigint()]).parse(row);
    found(chain, cutOff(seq));
  }
}

const cutOff = (seq: bigint): string =>
  `at the last anchor its chain reached number ${seq}, and no longer has that link: its newest rows were cut off`;

/** A head of the last anchor that is none any more. */
export class LostHead extends Error {
  override readonly name = 'LostHead';
  readonly chain: string;
  constructor(chain: string, seq: bigint) {
    super(cutOff(seq));
    this.chain = chain;
  }
}

/**
 * Writes the heads down as they are, some after others: each is a link of its chain from then on. Throws a `LostHead`, and
 * leaves nothing, where the newest list has a head whose link is no longer in its chain: each is looked for by the statement
 * that reads the new one.
 */
export async function writeAnchor({
  reads,
  ledgerKey,
  blobs,
}: {
  reads: ShortReads;
  ledgerKey: Buffer;
  blobs: AnchorBlobs;
}): Promise<Anchor> {
  const { read } = reads;
  const last = await lastAnchor(read);
  const lists = await listsOf(blobs);
  const newest = lists.at(-1);
  const seq = Math.max(last?.seq ?? 0, ...lists.map(seqOf)) + 1;
  const made = { accounts: 0, acts: '0', mac: '' };
  async function* list(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    const lineOf = (line: string) => {
      hash.update(`${line}\n`);
      return `${line}\n`;
    };
    yield Buffer.from(
      lineOf(canonicalJson({ anchor: seq, at: new Date().toISOString(), before: last?.mac ?? noAnchor })),
    );
    const lineOfHead = ({ chain, seq: number, link }: Head): string => {
      if (chain === 'acts') made.acts = number;
      else made.accounts += 1;
      return lineOf(`${chain} ${number} ${link}`);
    };
    // Some hundred bytes an account.
    const anchored = new Set<string>();
    for await (const heads of newest === undefined ? [] : headsOfList(blobs, newest)) {
      for (const { chain } of heads) anchored.add(chain);
      yield Buffer.from((await headsAfter(read, heads)).map(lineOfHead).join(''));
    }
    const newHeads = (rows: unknown[][]) => rows.map(headFrom).filter(({ chain }) => !anchored.has(chain));
    for await (const rows of pagesOf({ read, pageRows: () => reads.pageRows }, 'accounts', headsText))
      yield Buffer.from(newHeads(rows).map(lineOfHead).join(''));
    const others = await read(`select name, seq, encode(head, 'hex') from chains`);
    yield Buffer.from(newHeads(others).map(lineOfHead).join(''));
    made.mac = macOf(ledgerKey, hash.digest());
    yield Buffer.from(`= ${made.mac}\n`);
  }
  const blob = `${anchorsFolder}${String(seq).padStart(12, '0')}-${randomBytes(6).toString('hex')}`;
  await blobs.write(blob, list(), { bytesMax: listBytesMax });
  await removeBlobs(blobs, lists.slice(0, Math.max(0, lists.length + 1 - listsKept)));
  return { seq, blob, ...made };
}

const headsText = `select id, seq, encode(chain, 'hex') from accounts where ${inRange('accounts', 'id')}`;
const headRow = z.tuple([z.string(), z.bigint(), z.string()]);

function headFrom(row: unknown): Head {
  const [chain, seq, link] = headRow.parse(row);
  return { chain, seq: String(seq), link };
}

/** The heads of these chains now. Throws a `LostHead` where one is no continuation of what it was. */
async function headsAfter(read: Read, heads: readonly Head[]): Promise<Head[]> {
  const rows = await read(
    `select h.chain, h.seq, n.seq, n.link, coalesce(n.seq >= h.seq, false) and (h.seq = 0
        or h.link is not distinct from case h.chain
          when 'acts' then (select encode(a.link, 'hex') from acts a where a.seq = h.seq)
          else (select encode(e.link, 'hex') from entries e where e.account_id = h.chain and e.seq = h.seq limit 1) end)
      from unnest($1::text[], $2::bigint[], $3::text[]) as h(chain, seq, link) left join lateral (
        select a.seq, encode(a.chain, 'hex') as link from accounts a where a.id = h.chain
        union all select c.seq, encode(c.head, 'hex') from chains c where c.name = h.chain
      ) n on true`,
    [heads.map(({ chain }) => chain), heads.map(({ seq }) => seq), heads.map(({ link }) => link)],
  );
  return rows.map((row) => {
    const [chain, before, seq, link, goesOn] = nextHeadRow.parse(row);
    if (seq === null || link === null || !goesOn) throw new LostHead(chain, before);
    return { chain, seq: String(seq), link };
  });
}

const nextHeadRow = z.tuple([z.string(), z.bigint(), z.bigint().nullable(), z.string().nullable(), z.boolean()]);

/** The heads of a list, a batch at a time. */
async function* headsOfList(blobs: AnchorBlobs, key: string): AsyncGenerator<Head[]> {
  let heads: Head[] = [];
  for await (const line of await linesOf(blobs, key)) {
    const head = headOf(line);
    if (head) heads.push(head);
    if (heads.length < batchHeads) continue;
    yield heads;
    heads = [];
  }
  if (heads.length > 0) yield heads;
}

const linesOf = async (blobs: AnchorBlobs, key: string): Promise<AsyncIterable<string>> =>
  createInterface({ input: await blobs.read(key), crlfDelay: Infinity });
const headLine = /^(acts|acc_[0-9a-f]{32}) (\d{1,19}) ([0-9a-f]{64})$/;
const endOfList = /^= ([0-9a-f]{64})$/;

function headOf(line: string): Head | undefined {
  const [, chain, seq, link] = headLine.exec(line) ?? [];
  return chain === undefined || seq === undefined || link === undefined ? undefined : { chain, seq, link };
}

const macOf = (ledgerKey: Buffer, digest: Buffer): string =>
  createHmac('sha256', ledgerKey).update('anchor\n').update(digest).digest('hex');

/** The keys of the lists, oldest first. */
async function listsOf(blobs: Pick<BlobStore, 'list'>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(anchorsFolder)) if (listKey.test(key)) keys.push(key);
  return keys.sort();
}

const listKey = /^anchors\/\d{12}-[0-9a-f]{12}$/;
const seqOf = (key: string): number => Number(key.slice(anchorsFolder.length, anchorsFolder.length + 12));

async function lastAnchor(read: Read): Promise<Anchor | undefined> {
  const [row] = await read(`select anchor from audits where anchor is not null
    order by (anchor ->> 'seq')::bigint desc, finished_at desc limit 1`);
  return row === undefined ? undefined : anchorRow.parse(row)[0];
}

const anchorRow = z.tuple([
  z.object({
    ...{ seq: z.int().min(1), mac: z.string(), accounts: z.int(), acts: z.string(), blob: z.string() },
  }),
]);
