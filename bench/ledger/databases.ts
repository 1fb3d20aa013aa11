/** The ledgers that are compared: databases of one server, each migrated, with the product's own way to write in it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { deriveKeys } from '../../src/config/secrets.ts';
import type { Administrator } from '../../src/ledger/audit-log.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { migrateDatabase } from '../../src/postgres/migrations.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { type Moves, movesOn } from './fill.ts';

export const secret = 'the secret of the ledger benchmark and of nothing else';
export const ledgerKey = deriveKeys([secret]).first.ledger;

export interface OpenLedger {
  url: string;
  by: Administrator;
  moves: Moves;
  /** Of the holds of its calls. */
  owner: string;
  close(): Promise<void>;
}

/** A new database of a server, migrated: empty, or a copy of another one that has no connections. Returns its address. */
export async function createLedger(server: string, name: string, template?: string): Promise<string> {
  const from = template === undefined ? '' : ` template ${template} strategy file_copy`;
  await onDatabase(server, (client) => client.query(`create database ${name}${from}`));
  const address = new URL(server);
  address.pathname = `/${name}`;
  await migrateDatabase(address.href);
  return address.href;
}

/** `folder` is where blobs go. */
export async function openLedger(url: string, folder: string): Promise<OpenLedger> {
  const database = openDatabase(url, { onIdleError: () => undefined });
  const by: Administrator = { database, ledgerKey, actor: 'tollgate' };
  const owner = randomUUID();
  await database.pool.query(`insert into owners (id, expires_at) values ($1, now() + interval '1 day')`, [owner]);
  return { url, by, owner, moves: movesOn(by, createFileBlobs(join(folder, 'blobs'))), close: () => database.close() };
}

/** The server's first process, of which all others are children. */
export async function serverPid(server: string): Promise<number> {
  const { rows } = await onDatabase(server, (client) => client.query(`select pg_read_file('postmaster.pid') as file`));
  return Number.parseInt(z.object({ file: z.string() }).parse(rows[0]).file);
}

/** What a server does by itself some time after much was written: so that it doesn't do it while it is measured. */
export async function calmDown(url: string): Promise<void> {
  await onDatabase(url, async (client) => {
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
}

/** On a connection of its own, whose statements take as long as they take. */
export async function onDatabase<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
