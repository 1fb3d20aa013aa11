/** What the product sends to PostgreSQL, statement by statement, taken from its connections as they hand it to the driver. */
import type pg from 'pg';
import { z } from 'zod';

/** As sent: a name if it is prepared, and its parameters. */
export interface SentStatement {
  name: string | undefined;
  text: string;
  values: readonly unknown[];
}

const alone = z.string().transform((text): SentStatement => ({ name: undefined, text, values: [] }));
const named = z
  .object({ name: z.string().optional(), text: z.string(), values: z.array(z.unknown()).default([]) })
  .transform(({ name, text, values }): SentStatement => ({ name, text, values }));
const sentSchema = z.union([alone, named]);

export class Recorder {
  #sent: SentStatement[] = [];

  /** From now on, of all connections that this pool makes. */
  watch(pool: pg.Pool): void {
    pool.on('connect', (client) => {
      const send: (...args: unknown[]) => unknown = client.query.bind(client);
      const query = (...args: unknown[]) => {
        this.#sent.push(sentSchema.parse(args[0]));
        return send(...args);
      };
      Object.defineProperty(client, 'query', { value: query });
    });
  }

  /** What was sent since the last time. */
  take(): SentStatement[] {
    return this.#sent.splice(0);
  }
}
