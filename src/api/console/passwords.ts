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

const turns = pLimit(atOnce);

/** The encoded hash of a password. Refuses with `overloaded` where too many wait. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(normal(password)));

/** Whether it is the password of that hash. Without a hash it takes the same time, and it never is. */
export async function isPassword(password: string, encoded: string | undefined): Promise<boolean> {
  const fits = await inTurn(async () => verify(encoded ?? (await nobodysHash()), normal(password)));
  return fits && encoded !== undefined;
}

let nobodys: Promise<string> | undefined;
const nobodysHash = (): Promise<string> => (nobodys ??= hash('nobody has this password'));

/** The same characters may be typed as different code points. */
const normal = (password: string): string => password.normalize('NFKC');

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (turns.pendingCount >= waitingMax)
    throw new GatewayError('overloaded', 'Too many sign-ins at once. Retry in a few seconds.', {
      retryAfterSeconds: 5,
    });
  return turns(work);
}
