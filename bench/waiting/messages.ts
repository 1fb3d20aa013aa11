/** What is said between the benchmark and its processes. */
import { z } from 'zod';

/** One load: callers that come at a steady pace, and when each caller's task ends. */
export const loadSchema = z.object({
  /** With no slash at its end. */
  url: z.string(),
  key: z.string(),
  callers: z.number(),
  /** Callers that come each second. */
  comingPerSecond: z.number(),
  /** The first of these end one after another, the rest all at once, later. */
  spread: z.number(),
  endingPerSecond: z.number(),
  /** Unix ms. */
  firstEndMs: z.number(),
  /** After this time (Unix ms), who still waits is cut off. */
  limitMs: z.number(),
});
export type Load = z.infer<typeof loadSchema>;

const answerSchema = z.object({
  /** Of the task; empty if the answer names none. */
  id: z.string(),
  status: z.number(),
  /** Unix ms, when the first byte came. */
  firstByteMs: z.number(),
  isSpread: z.boolean(),
});
export type Answer = z.infer<typeof answerSchema>;

export const loadResultSchema = z.object({
  answers: z.array(answerSchema),
  /** Why callers got no answer. */
  faults: z.array(z.string()),
});
export type LoadResult = z.infer<typeof loadResultSchema>;

/** Bytes, as a process says them after a full collection. */
export const memorySchema = z.object({
  resident: z.number(),
  /** What lives: objects, and buffers outside of V8's heap. */
  live: z.number(),
});
export type Memory = z.infer<typeof memorySchema>;
