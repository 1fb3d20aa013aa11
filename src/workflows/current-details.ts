/**
 * What the workflow of a task tells an operator at each step, in a sentence or two. It is shown where the workflow is
 * looked at and written into no history. Neither a request's words nor an upstream's are in it.
 */
import type { Collected, Ended, Submitted, TaskFailed, Withdrawn } from '../activities/activity-types.ts';
import { micros, yuanText } from '../domain/money.ts';

/** `ark (route 1 of 2)`. */
export const placeOf = (provider: string, index: number, count: number): string =>
  `${provider} (route ${index + 1} of ${count})`;

export const submitting = (place: string, { error }: TaskFailed): string => {
  const before = typeof error === 'string' ? '' : ` The route before refused it: ${error.code}.`;
  return (
    `Waiting for its turn at ${place}, or just being sent there.${before} ` +
    `If this takes long: the last failure of the pending submit tells why.`
  );
};

export const waiting = (place: string, at: string | undefined): string =>
  `The provider took nothing, as it is too busy: ${place} is asked again${at === undefined ? '' : ` at ${moment(at)}`}.`;

export const collecting = (place: string, { since, isUnknown = false }: Submitted & { outcome: 'sent' }): string => {
  const when = since === undefined ? '' : ` at ${moment(since)}`;
  return isUnknown
    ? `Sent to ${place}${when}, which never said whether it took the task. Its job is looked for until the deadline; then the hold goes back.`
    : `Sent to ${place}${when}; waiting for its result, then storing it.`;
};

export const ending = ({ outcome }: Collected): string =>
  outcome === 'stored' ? 'The result is stored; charging for it.' : 'It failed; the hold is being given back.';

export const cancelling = 'Cancelled; the hold is being given back.';
export const breaking = 'Broken by a fault of the gateway; the hold is being given back. See the log of the worker.';

export const ended = ({ state, cost, provider }: Ended): string => {
  const by = provider === undefined ? '' : ` It was ${provider} that had it last.`;
  if (state !== 'succeeded') return `The task is ${state} and cost nothing.${by}`;
  return cost === undefined
    ? 'The task is succeeded.'
    : `The task is succeeded for ${yuanText(micros(BigInt(cost)))} yuan.${by}`;
};

export const telling = (end: Ended, eventId: string): string =>
  `${ended(end)} Starting the workflow ${eventId}, which tells the webhook.`;

export const withdrawing = (end: Ended): string =>
  `${ended(end)} Stopping what providers may still do for it, and deleting what was stored.`;

export const withdrawn = (end: Ended, { stopped, left }: Withdrawn): string => {
  const parts = [stopped > 0 && `stopped: ${stopped}`, left > 0 && `left to end by themselves: ${left}`].filter(
    Boolean,
  );
  return parts.length === 0 ? ended(end) : `${ended(end)} Jobs ${parts.join(', ')}.`;
};

export const notWithdrawn = (end: Ended): string =>
  `${ended(end)} What was stored or sent for it could not be withdrawn; see the log of the worker.`;

export const expiring = (end: Ended): string =>
  `${ended(end)} Its result waits to be fetched${end.expiresAt === undefined ? '' : ` until ${moment(end.expiresAt)}`}, and is then deleted.`;

export const fetching = (end: Ended): string =>
  `${ended(end)} Its result is being fetched, and is deleted when that has ended.`;

export const expired = (end: Ended): string => `${ended(end)} Its result is deleted.`;

/** `2026-11-03 14:05:09 UTC`, as the UI may show times of another zone. */
const moment = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;
