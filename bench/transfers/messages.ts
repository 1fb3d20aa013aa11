/** What the benchmark asks of its client process, and what that answers. */
import { z } from 'zod';

const requestSchema = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) });
export type TransferRequest = z.infer<typeof requestSchema>;

export const orderSchema = z.object({
  /** An upload is the form of an avatar-talk task. */
  way: z.enum(['up', 'down']),
  /** All begin at once, each on a connection of its own. */
  requests: z.array(requestSchema),
  /** Of the video that is sent, or of the file that must come. */
  bytes: z.number(),
});
export type Order = z.infer<typeof orderSchema>;

export const outcomeSchema = z.object({
  /** From the first byte of the first to the last answer's end. */
  ms: z.number(),
  /** Of whole bodies. */
  bytes: z.number(),
  /** Of uploads, what was answered. */
  answers: z.array(z.string()),
  /** In words, of those that failed. */
  failures: z.array(z.string()),
});
export type Outcome = z.infer<typeof outcomeSchema>;
