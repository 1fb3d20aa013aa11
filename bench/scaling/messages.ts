/** The messages to and from the real processes of the hot account. */
import { z } from 'zod';

const world = { databaseUrl: z.string(), ledgerKey: z.string(), account: z.string(), keys: z.array(z.string()).min(1) };

export const orderSchema = z.discriminatedUnion('order', [
  /** Commits groups of these sizes, one after the other, over known rows and under locks. */
  z.object({ ...world, order: z.literal('calibrate'), sizes: z.array(z.number()), rounds: z.number() }),
  /** Calls come by chance, whether or not the ledger keeps up, and are settled a while after. */
  z.object({
    ...world,
    order: z.literal('call'),
    callsPerSecond: z.number(),
    callMs: z.number(),
    warmUpMs: z.number(),
    seconds: z.number(),
    seed: z.number(),
  }),
  /** Books calls and tasks, so that their bytes can be counted. */
  z.object({ ...world, order: z.literal('book'), calls: z.number(), tasks: z.number() }),
  /** Listens on so many connections until each has heard all notices; says so first. */
  z.object({ ...world, order: z.literal('listen'), listeners: z.number(), notices: z.number() }),
]);
export type Order = z.infer<typeof orderSchema>;

export const calibratedSchema = z.object({
  /** Milliseconds of a commit, by the size of its group. */
  known: z.array(z.number()),
  locked: z.array(z.number()),
  roundTripMs: z.number(),
  flushMs: z.number(),
});
export type Calibrated = z.infer<typeof calibratedSchema>;

export const calledSchema = z.object({
  heldMs: z.array(z.number()),
  refused: z.number(),
  groups: z.number(),
  moves: z.number(),
});
export type Called = z.infer<typeof calledSchema>;

export const bookedSchema = z.object({ booked: z.literal(true) });

export const listeningSchema = z.object({ listening: z.literal(true) });
export const heardSchema = z.object({ cpuMs: z.number() });
