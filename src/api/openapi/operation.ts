/** What the document is made of: one record an operation, in which everything that many operations share is left out. */
import type { Configuration } from '../../config/configuration.ts';
import type { Deployment, ModelKind } from '../../domain/catalogue.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { KeyLevel } from '../../domain/accounts/key-rules.ts';

/** A piece of JSON Schema, or a reference to a named one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type Method = 'get' | 'post' | 'patch' | 'delete';

export const tags = {
  Chat: 'Chat completions and responses: straight through to the model, streamed or not.',
  Models: 'The models that can be called, and how they are.',
  Images: 'Image generation: text-to-image, reference images and upscaling.',
  Videos: 'Video generation: text, image and avatar modes. The task is asynchronous and is queried by its id.',
  'Avatar-talk': 'Turns an audio file and a video file into a lip-synced video, which can be fetched once.',
  Tasks: 'Tasks of every kind, and what an operation would cost.',
  Account: 'The account of the key: balance, ledger, usage, settings.',
  Keys: "The account's API keys, for keys of level `admin`.",
  Service: 'The gateway itself; no key is needed.',
} as const;

/** An operation of the API. Errors that all operations of its sort share are added by `document.ts`. */
export interface Operation {
  method: Method;
  /** Below the root where the operation belongs to a deployment, else from the host. */
  path: string;
  /** Its name in generated clients. */
  id: string;
  tag: keyof typeof tags;
  summary: string;
  description?: string;
  /** The level that a key needs; without one, no key is needed. */
  level?: KeyLevel;
  parameters?: readonly JsonSchema[];
  body?: RequestBody;
  /** What it answers when it goes well, by status. */
  answers: Readonly<Record<number, Answer>>;
  /** Errors of its own. */
  errors?: readonly ErrorCode[];
  /** A creation that fails within its wait is answered with this record, under the status of the record's error. */
  failedRecord?: { name: string; schema: JsonSchema; exampleWith: (error: unknown) => JsonSchema };
  /** Refusals of upstreams pass under these statuses, with the upstream's own `code`. */
  upstreamRefusals?: readonly number[];
}

export interface RequestBody {
  /** By media type. */
  content: Readonly<Record<string, JsonSchema>>;
}

export interface Answer {
  /** Under which it stands among the document's components, if it is not written out. */
  name?: string;
  description: string;
  headers?: Readonly<Record<string, JsonSchema>>;
  /** By media type; none for an answer without a body. */
  content?: Readonly<Record<string, JsonSchema>>;
  /** The operations whose path takes the `id` that was answered. */
  next?: readonly string[];
}

/** What the document says of this gateway in particular. */
export interface Facts {
  limits: Configuration['limits'];
  /** A model of the kind, for examples that work. */
  model: (kind: ModelKind) => string;
}

/** The operations below one deployment's root. */
export type Group = (facts: Facts, deployment: Deployment) => readonly Operation[];
