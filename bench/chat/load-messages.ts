/** What is said between the benchmark and its load generator. */
import { z } from 'zod';
import { scenarioSchema } from './scenarios.ts';

export const loadSchema = z.object({
  /** Of the target, with no path. */
  url: z.string(),
  model: z.string(),
  headers: z.record(z.string(), z.string()),
  scenario: scenarioSchema,
  /** After this long, calls under way are cut off and count as errors. */
  limitMs: z.number(),
});
export type Load = z.infer<typeof loadSchema>;

const percentiles = z.object({ p50: z.number(), p99: z.number() });

export const loadResultSchema = z.object({
  /** That ended well. */
  calls: z.number(),
  errors: z.number(),
  firstError: z.string().optional(),
  chunks: z.number(),
  seconds: z.number(),
  latencyMs: percentiles,
  firstChunkMs: percentiles,
  chunkAgeMs: percentiles,
});
export type LoadResult = z.infer<typeof loadResultSchema>;
