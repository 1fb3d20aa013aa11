/** What calls to the batch APIs of providers have in common. */
import * as z from 'zod';
import type { BatchCreated } from '../batch-contract.ts';
import { NotSent } from './bounded-call.ts';
import type { WireAnswer } from './wire.ts';

/** Statuses that say that nothing was begun, and that it may be later. */
const busyStatuses: ReadonlySet<number> = new Set([429, 503, 529]);
/** Statuses that leave open what became of it. */
const openStatuses: ReadonlySet<number> = new Set([408, 409]);
const idSchema = z.object({ id: z.string().min(1).max(200) });

/** Sends the paid create, once, and says what its answer means. */
export async function createdBy(send: () => Promise<WireAnswer>): Promise<BatchCreated> {
  let answer: WireAnswer;
  try {
    answer = await send();
  } catch (error) {
    if (error instanceof NotSent) return { outcome: 'busy' };
    return { outcome: 'unknown', reason: error instanceof Error ? error.message : 'the create was lost' };
  }
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const job = idSchema.safeParse(answer.json);
    return job.success
      ? { outcome: 'accepted', jobId: job.data.id }
      : { outcome: 'unknown', reason: 'the answer to the create has no id' };
  }
  if (busyStatuses.has(status)) return { outcome: 'busy' };
  if (status >= 400 && status < 500 && !openStatuses.has(status))
    return { outcome: 'refused', reason: textOfError(answer) };
  return { outcome: 'unknown', reason: `the create was answered with ${status}` };
}

/** Throws for an answer that is no success. */
export function requireGood(answer: WireAnswer): WireAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`the provider answered ${textOfError(answer)}`);
}

/** Throws unless what was to be deleted is deleted, or wasn't there any more. */
export function requireGone(answer: WireAnswer): void {
  if (answer.status !== 404) requireGood(answer);
}

/** For the operator, never for a caller. */
export const textOfError = ({ status, text }: Pick<WireAnswer, 'status' | 'text'>): string =>
  `${status}: ${text.slice(0, 500)}`;

/** Headers that are given as names and values in turn. */
export function recordOf(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) headers[flat[at] ?? ''] = flat[at + 1] ?? '';
  return headers;
}

/** The number of a line, in the JSON text of an id that we gave. */
export function numberOf(json: string | undefined): number | undefined {
  const digits = /^"([1-9]\d{0,8})"$/.exec(json ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** What a provider calls something, as a part of a path. */
export const pathWord = (name: string): string => encodeURIComponent(name);
