/** The data of an event for its webhook, put together for each attempt. */
import * as z from 'zod';
import { webhookRecord } from '../api/presenters/tasks.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Database } from '../postgres/database.ts';
import type { EventToDeliver } from '../webhooks/events.ts';
import { findFact } from '../postgres/installation.ts';
import { findTask } from '../tasks/rows/task-rows.ts';

/** An account's balance, or a batch as it was at its end. */
const noted = z.record(z.string(), z.json());

export interface EventDataTools {
  database: Database;
  secrets: Secrets;
  /** The address that callers use; empty while this process doesn't know it. */
  publicUrl: () => string;
  /** ISO 4217; of all amounts. */
  currency: string;
}

/**
 * Returns the reader of an event's data: what was stored with it and the currency, or the record of its task as GET would return it now, with
 * links that are good for a day from now. A worker without PUBLIC_URL takes the address that an API process wrote last.
 * Throws when there is none and a link is needed; the attempt is then made later.
 */
export const eventData =
  ({ database, secrets, publicUrl, currency }: EventDataTools) =>
  async ({ data, taskId }: Pick<EventToDeliver, 'data' | 'taskId'>): Promise<unknown> => {
    if (taskId === null) return withCurrency(noted.parse(data), currency);
    const task = await findTask(database, taskId);
    if (!task) throw new TypeError(`no task ${taskId}`);
    const address = publicUrl() === '' ? await findFact(database, 'public_url') : publicUrl();
    const known = () => {
      if (address === undefined) throw new Error('PUBLIC_URL is not set here, and no API has reported its address yet');
      return address;
    };
    return webhookRecord({ secrets, publicUrl: known }, task);
  };

/** A batch has the form of another API, which has no currency. */
const withCurrency = (data: z.output<typeof noted>, currency: string) =>
  data['object'] === 'batch' ? data : { ...data, currency };
