/** What is said between the benchmark, its provider and its callers, which are processes of their own. */
import { z } from 'zod';

/** To the provider. */
export const orderSchema = z.discriminatedUnion('order', [
  /** Jobs that it has end at even distances over this time, in the order in which they came. */
  z.object({ order: z.literal('end'), overMs: z.number() }),
  z.object({ order: z.literal('count') }),
  z.object({ order: z.literal('report') }),
]);
export type Order = z.infer<typeof orderSchema>;

export const countsSchema = z.object({
  /** Jobs that were created. */
  created: z.number(),
  /** Of these, jobs that are done, and those of which a poll reported it. */
  done: z.number(),
  reported: z.number(),
  polls: z.number(),
});
export type Counts = z.infer<typeof countsSchema>;

/** A job as the provider saw it; times are of the machine's clock, ms since 1970. */
export const jobSchema = z.object({
  /** The prompt, by which the benchmark knows its tasks. */
  prompt: z.string(),
  createdAt: z.number(),
  doneAt: z.number().nullable(),
  polls: z.number(),
});
export type SeenJob = z.infer<typeof jobSchema>;
export const reportSchema = z.array(jobSchema);

/** To the callers: create that many tasks and don't wait for them. */
export const creationSchema = z.object({
  url: z.string(),
  model: z.string(),
  /** Keys that take turns. */
  keys: z.array(z.string()).min(1),
  /** Prompts are this word and a number from 0. */
  word: z.string(),
  count: z.number(),
  connections: z.number(),
});
export type Creation = z.infer<typeof creationSchema>;

export const createdSchema = z.object({
  /** Ids in the order of the prompts' numbers. */
  ids: z.array(z.string()),
  beganAt: z.number(),
  endedAt: z.number(),
  /** Calls that were answered 503 `overloaded` and sent again. */
  overloaded: z.number(),
});
export type Created = z.infer<typeof createdSchema>;

/** Sent by the callers meanwhile. */
export const progressSchema = z.object({ accepted: z.number() });

/** What failed, in the place of an answer. */
export const failureSchema = z.object({ failure: z.string() });
