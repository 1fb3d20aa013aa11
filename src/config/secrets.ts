/** The operator's secrets, and the keys derived from them: one secret is set, and no two purposes share a key. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { secretCharactersMin } from './environment.ts';
import { SettingsError } from './setting-errors.ts';

export const purposes = ['links', 'ledger', 'browsers', 'webhooks', 'bodies'] as const;
export type Purpose = (typeof purposes)[number];

/** What one secret gives: 32 bytes for each purpose, and a fingerprint that may be shown. */
export type KeySet = Readonly<Record<Purpose, Buffer>> & { readonly id: string };

export interface Secrets {
  /** Signs. */
  first: KeySet;
  /** Verify; the first one is among them. */
  all: readonly KeySet[];
  /** The ledger's keys of all, in the same order; those of tokens and rights are derived from them (`ledger/access-seals.ts`). */
  ledgerKeys: readonly Buffer[];
  /** Of the first secret; a database keeps it to notice a process with another secret. */
  fingerprint: string;
}

/** Where a data directory keeps its secret. */
export const secretPathOf = (dataDir: string): string => join(dataDir, 'secret');

/**
 * Derives the keys of every purpose from each secret by HKDF-SHA256 (RFC 5869), the purpose being the `info`.
 * Throws a SettingsError for no secret or a short one.
 */
export function deriveKeys(secrets: readonly string[]): Secrets {
  const all = secrets.map(keySetOf);
  const [first] = all;
  if (first === undefined) throw new SettingsError(['TOLLGATE_SECRET: is required']);
  return { first, all, ledgerKeys: all.map(({ ledger }) => ledger), fingerprint: first.id };
}

/**
 * The secret kept in a data directory; made at first use, readable by its owner only. Processes that start at once
 * end with the same one. Throws a SettingsError if the file is too short to be a secret.
 */
export async function loadOrMakeSecret(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = secretPathOf(dataDir);
  const kept = await readKept(path);
  if (kept !== undefined) return kept;
  await makeOnce(dataDir, path);
  const made = await readKept(path);
  if (made === undefined) throw new SettingsError([`${path}: was removed while it was made`]);
  return made;
}

function keySetOf(secret: string): KeySet {
  if (secret.length < secretCharactersMin) {
    throw new SettingsError([`TOLLGATE_SECRET: must have at least ${secretCharactersMin} characters`]);
  }
  const derived = (info: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `tollgate/v1/${info}`, bytes));
  return {
    id: derived('fingerprint', 8).toString('hex'),
    links: derived('links', 32),
    ledger: derived('ledger', 32),
    browsers: derived('browsers', 32),
    webhooks: derived('webhooks', 32),
    bodies: derived('bodies', 32),
  };
}

async function readKept(path: string): Promise<string | undefined> {
  let secret: string;
  try {
    secret = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (secret.length < secretCharactersMin)
    throw new SettingsError([`${path}: must have at least ${secretCharactersMin} characters`]);
  await chmod(path, 0o600);
  return secret;
}

/** Written aside and linked: the name never shows half a secret, and never a second one. */
async function makeOnce(dataDir: string, path: string): Promise<void> {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(`${randomBytes(32).toString('base64url')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(aside, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error; // another process was first: its secret counts
  } finally {
    await unlink(aside);
  }
  const folder = await open(dataDir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
