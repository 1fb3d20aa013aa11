/**
 * The current details of a task's workflow at each step, in a sentence or two, for operators in Temporal's UI. They are
 * not written to the history, and contain no text of a request or an upstream.
 */
import type { Collected, Ended, Submitted, TaskFailed, Withdrawn } from '../activities/activity-types.ts';
import { currencyDefault } from '../domain/currency.ts';
import { micros, amountText } from '../domain/money.ts';

/** `ark (route 1 of 2)`. */
export const placeOf = (provider: string, index: number, count: number): string =>
  `${provider} (route ${index + 1} of ${count})`;

export const submitting = (place: string, { error }: TaskFailed): string => {
  const before = typeof error === 'string' ? '' : ` Previous route failed: ${error.code}.`;
  return (
    `Waiting for a slot at ${place}, or submitting.${before} ` +
    `If this takes long, see the last failure of the pending submit activity.`
  );
};

export const waiting = (place: string, at: string | undefined): string =>
  `Rejected because the provider is busy; ${place} is retried${at === undefined ? '' : ` at ${moment(at)}`}.`;

export const collecting = (place: string, { since, isUnknown = false }: Submitted & { outcome: 'sent' }): string => {
  const when = since === undefined ? '' : ` at ${moment(since)}`;
  return isUnknown
    ? `Submitted to ${place}${when}; the outcome is unknown. Looking for the job until the deadline; then the hold is released.`
    : `Submitted to ${place}${when}; waiting for the result, then storing it.`;
};

export const ending = ({ outcome }: Collected): string =>
  outcome === 'stored' ? 'Result stored; charging.' : 'Failed; releasing the hold.';

export const cancelling = 'Cancelled; releasing the hold.';
export const breaking = 'Failed because of an internal error; releasing the hold. See the worker log.';

export const ended = ({ state, cost, currency = currencyDefault, provider }: Ended): string => {
  const result = `${state[0]?.toUpperCase() ?? ''}${state.slice(1)}`;
  const costText = state === 'succeeded' ? `; cost ${amountText(micros(BigInt(cost)))} ${currency}` : '; not charged';
  return `${result}${costText}${provider === undefined ? '' : `; provider ${provider}`}.`;
};

export const startingDelivery = (end: Ended, eventId: string): string =>
  `${ended(end)} Starting the webhook delivery ${eventId}.`;

export const withdrawing = (end: Ended): string => `${ended(end)} Cancelling provider jobs and deleting stored files.`;

export const withdrawn = (end: Ended, { stopped, left }: Withdrawn): string => {
  const parts = [stopped > 0 && `cancelled: ${stopped}`, left > 0 && `left running: ${left}`].filter(Boolean);
  return parts.length === 0 ? ended(end) : `${ended(end)} Provider jobs ${parts.join(', ')}.`;
};

export const notWithdrawn = (end: Ended): string =>
  `${ended(end)} Provider jobs or stored files could not be cleaned up; see the worker log.`;

export const expiring = (end: Ended): string =>
  `${ended(end)} The result can be fetched${end.expiresAt === undefined ? '' : ` until ${moment(end.expiresAt)}`}; then it is deleted.`;

export const fetching = (end: Ended): string => `${ended(end)} The result is being fetched; then it is deleted.`;

export const expired = (end: Ended): string => `${ended(end)} Result deleted.`;

/** `2026-11-03 14:05:09 UTC`: the UI may show its own times in another time zone. */
const moment = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;
