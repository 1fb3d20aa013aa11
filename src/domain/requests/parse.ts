/**
 * From a body to a request or a GatewayError. A schema's messages are the rules themselves ("must be an integer from 1
 * to 10"); here they become the error of the first fault, in the order in which the caller wrote the body.
 */
import type { z } from 'zod';
import type { Model, ModelKind } from '../catalogue.ts';
import { GatewayError } from '../errors.ts';
import { modelIdCharactersMax } from '../limits.ts';

/** The kinds of model that each endpoint serves. */
export const endpointKinds = {
  chat: ['chat', 'code'],
  responses: ['code', 'chat'],
  messages: ['chat', 'code'],
  completions: ['chat', 'code'],
  embeddings: ['embedding'],
  moderations: ['moderation'],
  rerank: ['rerank'],
  speech: ['speech'],
  transcriptions: ['transcription'],
  image: ['image'],
  video: ['video', 'avatar-video', 'avatar-image'],
  avatarTalk: ['avatar-talk'],
} as const satisfies Record<string, readonly ModelKind[]>;

export const modelIdRule = `must be a model id: a string of 1 to ${modelIdCharactersMax} characters`;

/** A broken rule and the place of the value that breaks it. */
export interface Fault {
  path: readonly PropertyKey[];
  rule: string;
  /** The rule is that there is no such field. */
  isUnknown?: boolean;
}

/**
 * The body's `model`. Refuses with `missing_parameter` when there is none and with `invalid_parameter` when it is no
 * text, an empty or an absurdly long one, or when the body is no JSON object.
 */
export function modelIdOf(body: unknown): string {
  if (!isRecord(body)) throw notAnObject(body);
  const model = Object.hasOwn(body, 'model') ? body['model'] : undefined;
  if (typeof model === 'string' && model !== '' && model.length <= modelIdCharactersMax) return model;
  throw refusal(body, { path: ['model'], rule: modelIdRule });
}

/** Refuses with `invalid_parameter`, param `model`, when the endpoint doesn't serve models of this kind. */
export function requireKind(model: Model, kinds: readonly ModelKind[]): void {
  if (kinds.includes(model.kind)) return;
  const served = list(kinds.map((kind) => `'${kind}'`));
  throw new GatewayError(
    'invalid_parameter',
    `The model '${model.id}' is of kind '${model.kind}'; this endpoint supports models of kind ${served}.`,
    { param: 'model' },
  );
}

/**
 * The body as the schema reads it. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first
 * fault in the body; what is missing comes after what is there. `null` counts as absent.
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (!isRecord(body)) throw notAnObject(body);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw refusal(body, firstInBody(faultsOf(result.error.issues), body));
}

/** A rule that a schema can't see, because it depends on the model or on several values, is broken. */
export function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_parameter', `'${param}' ${rule}.`, { param });
}

/** A value that is required here is absent. */
export function missing(param: string, rule: string): GatewayError {
  return new GatewayError('missing_parameter', `'${param}' is required: it ${rule}.`, { param });
}

/**
 * The faults of a failed parse. Of a union it returns those of the branch that was meant, which is the one whose outermost
 * type fits; if none fits, the union's own rule.
 */
export function faultsOf(issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.flatMap((issue) => {
    const own: Fault = { path: issue.path, rule: issue.message };
    // Only the first is reported, and 20 MiB of JSON hold millions.
    if (issue.code === 'unrecognized_keys')
      return [{ ...own, path: [...issue.path, ...issue.keys.slice(0, 1)], isUnknown: true }];
    if (issue.code === 'custom' && issue.params?.['isUnknown'] === true) return [{ ...own, isUnknown: true }];
    if (issue.code !== 'invalid_union') return [own];
    const meant = issue.errors.find((branch) => branch.length > 0 && branch.every(({ path }) => path.length > 0));
    if (!meant) return [own];
    return faultsOf(meant).map(({ path, ...fault }) => ({ ...fault, path: [...issue.path, ...path] }));
  });
}

/** The last word of an enumeration is set off: `a, b or c`. */
export function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

/** A path as callers write it: `messages[0].content`. */
export function paramOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

function refusal(body: unknown, { path, rule, isUnknown = false }: Fault): GatewayError {
  const value = valueAt(body, path);
  const isItem = typeof path.at(-1) === 'number';
  const param = shortened(paramOf(path));
  // A null in an array is a wrong item; a null in an object stands for an absent value.
  if ((value === undefined || value === null) && !isItem && !isUnknown) return missing(param, rule);
  return new GatewayError('invalid_parameter', `'${param}' ${rule}; got ${described(value)}.`, { param });
}

/** A field that is not known has whatever name the caller gave it. */
const shortened = (param: string): string => (param.length > 200 ? `${param.slice(0, 200)}…` : param);

function firstInBody(faults: readonly Fault[], body: unknown): Fault {
  const placed = faults.map((fault) => ({ fault, position: positionOf(body, fault.path) }));
  const [first] = placed.sort((a, b) => comparePositions(a.position, b.position));
  if (!first) throw new Error('a failed parse without a fault');
  return first.fault;
}

/** Where a path lies in the body as written: the index of each step among its siblings; of an absent one, infinity. */
function positionOf(body: unknown, path: readonly PropertyKey[]): number[] {
  let value = body;
  return path.map((step) => {
    const index = typeof step === 'number' ? step : isRecord(value) ? Object.keys(value).indexOf(String(step)) : -1;
    value = child(value, step);
    return index === -1 || value === undefined ? Infinity : index;
  });
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  for (const [depth, index] of a.entries()) {
    const other = b[depth];
    if (other === undefined) return 1;
    if (index !== other) return index < other ? -1 : 1;
  }
  return a.length - b.length;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const step of path) value = child(value, step);
  return value;
}

function child(value: unknown, step: PropertyKey): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? (value[step] as unknown) : undefined;
  return isRecord(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notAnObject(body: unknown): GatewayError {
  return new GatewayError('invalid_parameter', `The request body must be a JSON object; got ${described(body)}.`);
}

/** Short enough for a message; texts are only repeated when they look like a word, for others may be private. */
function described(value: unknown): string {
  if (typeof value === 'string') {
    return /^[\w.:+-]{0,32}$/.test(value) ? `'${value}'` : `a string of ${value.length} characters`;
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length} items`;
  return typeof value === 'object' ? 'an object' : 'nothing';
}
