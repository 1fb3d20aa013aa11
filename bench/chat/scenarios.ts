/** The loads that the chat benchmark puts on every target. */
import { z } from 'zod';
import type { CallForm } from './wire.ts';

export const scenarioSchema = z.object({
  name: z.string(),
  /** What the table's title says of it. */
  about: z.string(),
  form: z.enum(['chat', 'messages', 'embeddings'] satisfies CallForm[]),
  /** Of messages: the upstream speaks chat. */
  isTranslated: z.boolean().optional(),
  stream: z.boolean(),
  /** Callers at a time; each calls again as soon as it has its answer. */
  connections: z.number(),
  /** Calls begin at this pace in place of that, however many callers are still busy. */
  callsPerSecond: z.number().optional(),
  chunks: z.number(),
  delayMs: z.number(),
  /** How long calls begin; those under way are then waited for. */
  measureMs: z.number(),
  /** The callers begin one after another over this time, so that their chunks spread. */
  rampMs: z.number(),
  /** The scenario whose CPU time a call is compared with. */
  comparedWith: z.string().optional(),
  /** What the upstream leaves out, for tests of the load generator itself. */
  leave: z.enum(['done', 'usage', 'chunk', 'end']).optional(),
});
export type Scenario = z.infer<typeof scenarioSchema>;

const whole = { form: 'chat', stream: false, chunks: 0, delayMs: 0, measureMs: 5_000, rampMs: 0 } as const;
const streamed = { ...whole, stream: true, chunks: 50 } as const;

export const scenarios: readonly Scenario[] = [
  { ...whole, name: 'json-c32', about: '32 connections, whole answers', connections: 32 },
  { ...streamed, name: 'sse-c32', about: '32 connections, streams of 50 chunks without a pause', connections: 32 },
  {
    ...streamed,
    name: 'sse20ms-c200',
    about: '200 streams at a time, a chunk every 20 ms',
    connections: 200,
    delayMs: 20,
    rampMs: 1_000,
  },
  {
    ...streamed,
    name: 'sse100ms-c1000',
    about: '1,000 streams at a time, a chunk every 100 ms',
    connections: 1_000,
    delayMs: 100,
    rampMs: 5_000,
    measureMs: 8_000,
  },
  {
    ...{ ...whole, name: 'messages-c32', form: 'messages', comparedWith: 'json-c32' },
    ...{ about: '32 connections, whole messages', connections: 32 },
  },
  {
    ...{ ...streamed, name: 'messages-sse-c32', form: 'messages', comparedWith: 'sse-c32' },
    ...{ about: '32 connections, streams of messages of 50 chunks without a pause', connections: 32 },
  },
  {
    ...{ ...streamed, name: 'translated-sse-c32', form: 'messages', isTranslated: true, comparedWith: 'sse-c32' },
    ...{ about: '32 connections, streams of messages made from chat chunks without a pause', connections: 32 },
  },
  {
    ...{ ...whole, name: 'embeddings-c32', form: 'embeddings', comparedWith: 'json-c32' },
    ...{ about: '32 connections, embeddings of a text', connections: 32 },
  },
  { ...whole, name: 'json-50rps', about: '50 calls a second, whole answers', connections: 200, callsPerSecond: 50 },
];

export const warm_up_ms = 2_000;

/** What every target is given once before all rounds: it starts cold, and its code is compiled call by call. */
export const firstWarmUps = scenarios
  .filter(({ name }) => name === 'json-c32' || name === 'sse-c32')
  .map((scenario) => ({ ...scenario, measureMs: 3_000 }));

/** The same load for two seconds, its streams cut to at most a second, so that connections are open and code is compiled. */
export function warmUpOf(scenario: Scenario, measureMs = warm_up_ms): Scenario {
  const chunks = scenario.delayMs === 0 ? scenario.chunks : Math.ceil(1_000 / scenario.delayMs);
  return { ...scenario, chunks, measureMs, rampMs: Math.min(scenario.rampMs, measureMs / 2) };
}

/** About how long one scenario takes on one target, warm-up and drain included. */
export function secondsOf(scenario: Scenario): number {
  const streamMs = scenario.chunks * scenario.delayMs;
  return (warm_up_ms + Math.min(streamMs, 1_000) + scenario.measureMs + streamMs) / 1000;
}

/** The body of a scenario's calls; its prompt says what the upstream has to send. */
export function bodyOf(scenario: Scenario, model: string): string {
  const { form, stream, chunks, delayMs, leave } = scenario;
  const order = `chunks=${chunks} delay=${delayMs}${leave === undefined ? '' : ` leave=${leave}`}`;
  const system = 'You answer in short sentences, name your sources, and say what you do not know.';
  const question = `What speaks against a log on the same disk as the tables it is for? ${order}`;
  const shared = { model, temperature: 0.7, max_tokens: 256 };
  const asked = { role: 'user', content: question };
  if (form === 'messages') return JSON.stringify({ ...shared, ...(stream && { stream }), system, messages: [asked] });
  if (form === 'embeddings')
    return JSON.stringify({ model, input: `${system} ${question}`, encoding_format: 'base64' });
  const streaming = { stream: true, stream_options: { include_usage: true } };
  return JSON.stringify({
    ...shared,
    ...(stream && streaming),
    messages: [{ role: 'system', content: system }, asked],
  });
}
