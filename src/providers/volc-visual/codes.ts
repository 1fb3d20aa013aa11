/**
 * What the codes of Volcengine Visual mean to a caller. Sources: the tables of error codes in the official pages of its
 * models (such as https://www.volcengine.com/docs/85621/1817045), which give an HTTP status to each, and for 502xx,
 * 50400, 50402 and 60102 the service's common ones (https://www.volcengine.com/docs/6973/152544). Whatever the HTTP
 * status: a code other than 10000 comes without a task.
 */
import { itemParam } from '../../domain/requests/video-request.ts';
import type { Job } from '../contract.ts';
import type { Refusal } from '../http/wire.ts';

export const successCode = 10_000;

type Part = 'prompt' | 'visual' | 'video';

/** The provider failed inside: of a create, it is unknown whether a task came of it. */
export const isInternal = (code: number): boolean => code === 50_500 || code === 50_501;

/** Says nothing about the task in the query: too many calls, or a failure of the operator's account. */
export const isPassingCode = (code: number): boolean => code === 50_429 || code === 50_430 || isAccountFailure(code);

/** `said` is the answer's own message. Undefined for a code that isn't documented. */
export function refusalOfCode(code: number, said: string, job: Job): Refusal | undefined {
  if (isInternal(code)) return { ...routeFault, message: 'The provider had an internal error.', isCertain: false };
  // A req_key that the service doesn't have is reported as bad input; the caller never wrote it.
  if (isAccountFailure(code) || (code === 50_200 && /\breq_key\b/.test(said))) return routeFault;
  switch (code) {
    case 50_429:
    case 50_430:
      return { ...routeFault, code: 'upstream_rate_limited', message: 'The provider is busy. Try again later.' };
    case 50_411:
    case 50_518:
      return policy('The reference did not pass the provider’s content check.', paramOf('visual', job));
    case 50_412:
    case 50_413:
      return policy('The prompt did not pass the provider’s content check.', paramOf('prompt', job));
    case 50_511: // image
    case 50_512: // text
    case 50_516: // video
    case 50_517: // audio
    case 50_519: // image, copyright
      return policy('The result did not pass the provider’s content check.');
    case 50_520:
    case 50_521:
    case 50_522:
      return { ...routeFault, message: 'The provider’s content check is unavailable.' };
    case 60_102:
      return { ...badInput, message: 'No face was found in the reference.', ...namedParam(paramOf('visual', job)) };
    case 50_205: // too large
    case 50_206: // none
    case 50_207: // can't be decoded
      return { ...badInput, ...namedParam(paramOf('visual', job)) };
    case 50_209: // none
    case 50_210: // can't be decoded
    case 50_211: // too large
    case 50_214: // too long
      return { ...badInput, ...namedParam(paramOf('video', job)) };
    default:
      return code >= 50_200 && code < 50_300 ? badInput : undefined;
  }
}

/** The message is the answer's own. */
const badInput: Refusal = { code: 'invalid_parameter', fallOver: false, isCertain: true };

const routeFault: Refusal = {
  code: 'upstream_error',
  message: 'The provider could not accept the task.',
  fallOver: true,
  isCertain: true,
};

const policy = (message: string, param?: string): Refusal => ({
  ...{ code: 'content_policy_violation', message, fallOver: false, isCertain: true },
  ...namedParam(param),
});

const namedParam = (param: string | undefined) => (param === undefined ? {} : { param });

/** Access denied, which is also the answer for a model that wasn't opened for the account; an action that isn't there. */
const isAccountFailure = (code: number): boolean => code === 50_400 || code === 50_402;

/** The name under which the caller sent it. Lip sync models take a video where other models take an image. */
function paramOf(part: Part, { input }: Job): string | undefined {
  if (input.kind === 'avatar_talk') return undefined;
  if (input.kind === 'image') {
    if (part === 'prompt') return 'prompt';
    const { length } = input.request.imageUrls;
    return length > 1 ? 'image_urls' : length === 1 ? 'image_urls[0]' : undefined;
  }
  const { content } = input.request;
  for (const type of itemTypes[part]) {
    const index = content.findIndex((item) => item.type === type);
    if (index >= 0) return itemParam(input.request, index);
  }
  return undefined;
}

const itemTypes = {
  prompt: ['text'],
  visual: ['image_url', 'video_url'],
  video: ['video_url'],
} as const satisfies Record<Part, readonly string[]>;
