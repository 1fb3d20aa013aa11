/** What a model of fal's answered: each has a form of its own, but files are always `{url}` under one of a few names. */
import { z } from 'zod';
import type { Job } from '../contract.ts';
import type { Polled, Refusal, WireAnswer, WireFile } from '../http/wire.ts';
import { isOfFal, modelErrorsOf, refusalOf } from './refusal.ts';

const depthMax = 5;

/** What the status of a completed request may say of its failure. */
interface Said {
  error?: string | undefined;
  error_type?: string | undefined;
}

/**
 * What the result of a completed request says. It failed if its result is an error; fal puts no other end on record.
 * Undefined: the result itself could not be had, and is asked for again.
 */
export function resultOf(answer: WireAnswer, job: Job, said: Said): Polled | undefined {
  const { status, json } = answer;
  if (status < 300) return json === undefined ? { state: 'processing' } : ofOutput(json, job, said);
  const refusal = isAboutTheJob(answer) ? refusalOf(answer, job) : undefined;
  if (refusal !== undefined) return { state: 'failed', refusal };
  // A request that is completed for some servers may not be for all.
  if (status === 400 && /in progress/i.test(answer.text)) return { state: 'processing' };
  if (status === 404 && isOfFal(answer))
    return { state: 'failed', refusal: failure('The provider does not know this model.') };
  return said.error === undefined && said.error_type === undefined
    ? undefined
    : { state: 'failed', refusal: ofSaid(said) };
}

/** An error of the key, the account or its limits has nothing to do with the job and may pass. */
function isAboutTheJob(answer: WireAnswer): boolean {
  const isAccount = [401, 402, 403, 408, 425, 429].includes(answer.status);
  return isAccount ? modelErrorsOf(answer).length > 0 : isOfFal(answer);
}

function ofOutput(json: unknown, { kind }: Job, said: Said): Polled {
  const files = filesIn(json, kind === 'image' ? imageNames : videoNames);
  const { data } = flags.safeParse(json);
  const isFlagged = data !== undefined && data.has_nsfw_concepts.length === files.length ? data.has_nsfw_concepts : [];
  // fal's safety checker replaces what it found by a black image.
  const shown = files.filter((_, at) => isFlagged[at] !== true);
  if (shown.length > 0) return { state: 'succeeded', files: shown };
  if (files.length > 0) {
    const message = 'The safety checker of the model withheld the result.';
    return { state: 'failed', refusal: { code: 'content_policy_violation', message, fallOver: false } };
  }
  return { state: 'failed', refusal: ofSaid(said) };
}

const imageNames = ['images', 'image', 'image_urls', 'image_url', 'output', 'outputs'];
const videoNames = ['video', 'videos', 'video_url', 'video_urls', 'output', 'outputs'];

const flags = z.object({ has_nsfw_concepts: z.array(z.unknown()) });

/** The files under the first of these names that has any; else all that there are. */
function filesIn(value: unknown, names: readonly string[], depth = 0): WireFile[] {
  if (typeof value === 'string') return fileOf(value);
  if (typeof value !== 'object' || value === null || depth > depthMax) return [];
  if (Array.isArray(value)) return value.flatMap((item) => filesIn(item, names, depth + 1));
  const fields = new Map<string, unknown>(Object.entries(value));
  const url = fields.get('url');
  if (typeof url === 'string') return fileOf(url);
  for (const name of names) {
    const files = filesIn(fields.get(name), names, depth + 1);
    if (files.length > 0) return files;
  }
  return [...fields.values()].flatMap((item) => filesIn(item, names, depth + 1));
}

/** With `sync_mode` models answer with the file itself. */
function fileOf(url: string): WireFile[] {
  const base64 = /^data:[^,]{0,200};base64,(.*)$/s.exec(url)?.[1];
  if (base64 !== undefined) return [{ base64 }];
  return /^https?:\/\//.test(url) ? [{ url }] : [];
}

const ofSaid = ({ error, error_type: type }: Said): Refusal =>
  type?.includes('timeout') === true
    ? { ...failure('The model did not finish in time.'), code: 'upstream_timeout' }
    : failure(error ?? 'The provider returned no file.');

const failure = (message: string): Refusal => ({ code: 'upstream_error', message, fallOver: false });
