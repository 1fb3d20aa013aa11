/** The operations of the public API: what a record of them has besides what all operations have. */
import type * as z from 'zod';
import type { Configuration } from '../config/configuration.ts';
import type { KeyLevel } from '../domain/accounts/key-rules.ts';
import type { Deployment, ModelKind } from '../domain/catalogue.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { RequestJsonOptions } from './body/request-json.ts';
import type { DependenciesNow } from './dependencies.ts';
import type { JsonSchema } from './openapi/schemas.ts';
import type { Ask, Handler, NoQuery, OperationFacts } from './operation.ts';

/** Examples of one body by their names. */
export type Examples = Readonly<Record<string, { summary: string; value: unknown }>>;

/** What the document says of this gateway in particular. */
export interface GatewayFacts extends Pick<Deployment, 'imageWaitSeconds' | 'videoWaitSeconds'> {
  limits: Configuration['limits'];
  /** Of all amounts. */
  currency: string;
  /** A model of the kind, for examples that work. */
  model: (kind: ModelKind) => string;
  /** Where links in records lead to. */
  publicUrl: string;
}

export const tags = {
  Chat: 'Chat completions, responses and messages: straight through to the model, streamed or not.',
  Embeddings: 'Vectors of texts, and other calls that only read.',
  Audio: 'Speech of texts, and texts of speech.',
  Models: 'The models that can be called, and how they are.',
  Images: 'Image generation: text-to-image, reference images and upscaling.',
  Videos: 'Video generation: text, image and avatar modes. The task is asynchronous and is queried by its id.',
  'Avatar-talk': 'Turns an audio file and a video file into a lip-synced video, which can be fetched once.',
  Files: 'Files that the account keeps: what batches read and write.',
  Batches: 'Many requests in one file, run as there is room for them.',
  Tasks: 'Tasks of every kind, and what an operation would cost.',
  Account: 'The account of the key: balance, ledger, usage, settings.',
  Keys: "The account's API keys, for keys of level `admin`.",
  Service: 'The gateway itself; no key is needed.',
} as const;

interface PublicFacts<Query extends z.ZodObject, Body, Answer> extends OperationFacts<Query, Answer> {
  tag: keyof typeof tags;
  description?: string | ((facts: GatewayFacts) => string);
  /** The level that a key needs; without one, no key is needed. */
  level?: KeyLevel;
  /** Headers and parameters of the path, then of the query. */
  parameters?: readonly JsonSchema[] | ((facts: GatewayFacts) => readonly JsonSchema[]);
  body?: RequestBody<Body>;
  /** Refuses a request before its body is read. */
  before?: (ask: Pick<Ask<unknown, unknown>, 'ctx' | 'deps' | 'params'>) => Promise<void>;
  /** What it answers when it goes well, by status; the handler's own answer has the first one. */
  responses: Readonly<Record<number, Response>>;
  /** Errors of its own, besides those that all operations of its sort have. */
  errors?: readonly ErrorCode[];
  /** A creation that fails within its wait is answered with its record, under the status of the record's error. */
  failedRecord?: (facts: GatewayFacts, error: unknown) => JsonSchema;
  /** Of Anthropic's API, whose errors have a form of their own. */
  errorForm?: 'messages';
  /** Refusals of upstreams pass under these statuses, with the upstream's own `code`. */
  upstreamRefusals?: readonly number[];
}

export interface Response {
  description: string;
  headers?: Readonly<Record<string, JsonSchema>>;
  /** By media type, besides the operation's answer in JSON. */
  content?: Readonly<Record<string, JsonSchema>>;
  /** Of the JSON. */
  examples?: (facts: GatewayFacts) => Examples;
  /** The operations whose path takes the `id` that was answered. */
  next?: readonly string[];
}

export interface RequestBody<Body> {
  /** What the document says of it, by media type. */
  content: (facts: GatewayFacts) => Readonly<Record<string, JsonSchema>>;
  /** How it is read as JSON; without it, the handler reads it. */
  json?: RequestJsonOptions;
  /** Makes what the handler is given of the JSON; without it, that is the JSON itself. */
  parse?: (value: unknown) => Body;
}

export interface KeyAsk<Query, Body> extends Ask<Query, Body> {
  /** For requests that last: what is in force by then. */
  now: DependenciesNow;
}

export interface Operation extends Omit<PublicFacts<z.ZodObject, unknown, never>, 'answer'> {
  answer: z.ZodType;
  /** A method, so that it takes what was parsed with the schemas of this very operation. */
  run(ask: KeyAsk<unknown, unknown>): unknown;
}

/** Makes the record of an operation. Where `answer` is `z.void()`, the handler writes the whole answer itself. */
export const operation = <Answer, Query extends z.ZodObject = NoQuery, Body = unknown>({
  handle,
  ...facts
}: PublicFacts<Query, Body, Answer> & { handle: Handler<KeyAsk<z.output<Query>, Body>, Answer> }): Operation => ({
  ...facts,
  run: handle,
});
