/** What the tests of the embedded servers share: a folder for one test file, and what a process listens on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { processesMentioning } from '../../../src/embedded/processes.ts';

/** A folder that is gone when the tests have ended, with every server that a failed test left running in it. To be called outside hooks, or the folder goes with the hook. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-embedded-'));
  after(async () => {
    for (const { pid } of await processesMentioning(folder)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

/** Tries until it succeeds, for 20 s at most. */
export async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(25);
    }
  }
}

/** The first column of the first row. */
export async function queried(url: string, statement: string, values: unknown[] = []): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, values, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** The IPv4 addresses at which a process listens; IPv6 ones as the kernel prints them. From /proc, so on Linux only. */
export async function listeningHosts(pid: number): Promise<string[]> {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  );
  const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((row) => row.trim().split(/\s+/))
    .filter((row) => row[3] === '0A' && sockets.has(row[9])) // state LISTEN, and its inode is ours
    .map((row) => hostOf(row[1]!.split(':')[0]!));
}

/** "0100007F" is 127.0.0.1: the kernel prints the address as a number in the machine's byte order. */
function hostOf(hex: string): string {
  return hex.length === 8 ? [...Buffer.from(hex, 'hex')].reverse().join('.') : hex;
}
