/** What is said between the benchmark and the process that admits. */
import { z } from 'zod';
import type { AccountId, KeyId } from '../../src/domain/ids.ts';

const customerSchema = z.object({
  account: z.string().transform((id) => id as AccountId),
  key: z.string().transform((id) => id as KeyId),
});

/** Admissions of a ledger to be made now, and where the same is to be written down for pgbench. */
export const loadSchema = z.object({
  url: z.string(),
  owner: z.string(),
  kind: z.enum(['calls', 'tasks']),
  /** A call's caller settles it and comes again; a task's comes again. */
  callers: z.number().int(),
  admissions: z.number().int(),
  customers: z.array(customerSchema).min(1),
  /** The customers that pgbench takes in place of these, in the same order. */
  twins: z.array(customerSchema),
  scriptFile: z.string(),
  /** Of the server's first process. */
  postgresPid: z.number(),
});
export type Load = z.infer<typeof loadSchema>;

export const loadResultSchema = z.object({
  admissions: z.number(),
  seconds: z.number(),
  groups: z.number(),
  /** Admissions and settlements. */
  moves: z.number(),
  /** How long callers waited for their holds. */
  admittedMs: z.object({ p50: z.number(), p99: z.number() }),
  /** Of this process: the product and its callers. */
  cpuMs: z.number(),
  postgresCpuMs: z.number(),
  /** That pgbench's script makes within the time that it measures. */
  replayedAdmissions: z.number(),
  /** The settings of the product's connections, as a libpq client takes them. */
  connectionOptions: z.string(),
});
export type LoadResult = z.infer<typeof loadResultSchema>;
