/** What the API processes of one command and their supervisor say to each other, over the channel that node:cluster opens. */
import * as z from 'zod';

/** All that a process shows at one moment, as prom-client has it. */
export const figuresSchema = z.array(
  z.object({
    name: z.string(),
    help: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
    aggregator: z.enum(['sum', 'first', 'min', 'max', 'average', 'omit']),
    values: z
      .array(
        z.object({
          metricName: z.string().optional(),
          labels: z.record(z.string(), z.union([z.string(), z.number()])),
          // NaN arrives as null: the lag of an event loop that had no turn since the last scrape.
          value: z.number().nullable(),
        }),
      )
      .transform((values) => values.flatMap(({ value, ...rest }) => (value === null ? [] : [{ ...rest, value }]))),
  }),
);
export type Figures = z.infer<typeof figuresSchema>;

const toSupervisor = z.discriminatedUnion('say', [
  /** Everything is started and listens here. */
  z.object({ say: z.literal('up'), address: z.string() }),
  /** A scrape came: the figures of all are wanted. */
  z.object({ say: z.literal('scraped') }),
  z.object({ say: z.literal('figures'), figures: z.array(z.unknown()) }),
]);
export type ToSupervisor = z.infer<typeof toSupervisor>;

const toProcess = z.discriminatedUnion('say', [
  z.object({ say: z.literal('show') }),
  /** Of all processes, in Prometheus' text format. */
  z.object({ say: z.literal('all'), text: z.string() }),
]);
export type ToProcess = z.infer<typeof toProcess>;

/** Undefined for what is none: Node's own messages come by other events, but others may use the channel too. */
export const readToSupervisor = (message: unknown): ToSupervisor | undefined => toSupervisor.safeParse(message).data;
export const readToProcess = (message: unknown): ToProcess | undefined => toProcess.safeParse(message).data;
