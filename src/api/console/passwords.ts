/**
 * Passwords: argon2id with the library's parameters (19 MiB, two passes; some 50 ms), two at a time in a process, since
 * each takes a thread that the blob store's files need too.
 */
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { GatewayError } from '../../domain/errors.ts';

const atOnce = 2;
/** A caller behind these would wait for more than two seconds. */
const waitingMax = 64;

const queue = pLimit(atOnce);

/** The encoded hash of a password. Refuses with `overloaded` where too many wait. */
export const hashPassword = (password: string): Promise<string> => runQueued(() => hash(normal(password)));

/** Whether it is the password of that hash. Without a hash it takes the same time, and it never is. */
export async function isPassword(password: string, encoded: string | undefined): Promise<boolean> {
  const fits = await runQueued(async () => verify(encoded ?? (await unknownPersonHash()), normal(password)));
  return fits && encoded !== undefined;
}

let unknownPersonHashed: Promise<string> | undefined;
const unknownPersonHash = (): Promise<string> => (unknownPersonHashed ??= hash('a password that no person has'));

/** The same characters may be typed as different code points. */
const normal = (password: string): string => password.normalize('NFKC');

function runQueued<T>(work: () => Promise<T>): Promise<T> {
  if (queue.pendingCount >= waitingMax)
    throw new GatewayError('overloaded', 'Too many sign-ins at once. Retry in a few seconds.', {
      retryAfterSeconds: 5,
    });
  return queue(work);
}
