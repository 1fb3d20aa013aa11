/** What a caller gets of an upstream's error: its own words, without the operator's addresses and credentials. */
import type { ProviderSettings } from '../domain/catalogue.ts';
import { readJson } from '../domain/chat/json-reading.ts';
import { isObject, jsonObjectOf } from '../domain/json/json-object.ts';
import { errorTable } from '../domain/errors.ts';
import { cleanUpstreamMessage, upstreamError, type UpstreamError } from '../net/upstream-error.ts';
import type { ApiContext } from '../api/context.ts';
import { messagesError } from '../domain/messages-errors.ts';
import { speaksMessages } from '../api/messages-form.ts';

type Settings = { providers: ReadonlyMap<string, ProviderSettings> };

/** Shorter values of extra headers are no credentials, and might be words of any message. */
const secretHeaderCharactersMin = 12;

/** Reads an error's body and cleans all of it; the message is never empty. */
export function cleanedError(body: Buffer, contentType: string, settings: Settings): UpstreamError {
  const { message, param, code } = upstreamError(body, contentType);
  const secrets = secretsIn(settings);
  const clean = (text: string | null) => (text === null ? null : cleanUpstreamMessage(text, secrets));
  return { message: clean(message) || 'The model refused the request.', param: clean(param), code: clean(code) };
}

/** The upstream's own words about the caller's mistake, under its own status. */
export function answerUpstreamError(
  ctx: ApiContext,
  { status, message, param, code }: UpstreamError & { status: number },
): void {
  ctx.status = status;
  ctx.state.code = code ?? undefined;
  if (speaksMessages(ctx)) {
    ctx.body = messagesError({ status, message, type: code }, ctx.state.requestId);
    return;
  }
  ctx.body = { error: { message, type: errorTable.invalid_parameter.type, param, code } };
}

/**
 * A response object, or an event with one, whose error says nothing that a caller should not see. The very bytes where
 * it has no error or there is nothing to take out. Throws TooManyValues for one with an error that can't be taken out.
 */
export function cleanedResponse(bytes: Buffer, settings: Settings): Buffer {
  const message = errorMessageIn(bytes);
  if (message === undefined) return bytes;
  const cleaned = cleanUpstreamMessage(message, secretsIn(settings)) || 'The model failed.';
  if (cleaned === message) return bytes;
  // Just the message is replaced, so that numbers and the order of names stay as they came.
  const text = bytes.toString();
  const written = JSON.stringify(message);
  if (text.includes(written)) return Buffer.from(text.replaceAll(written, () => JSON.stringify(cleaned)));
  return Buffer.from(JSON.stringify(jsonObjectOf(bytes), (_, value: unknown) => (value === message ? cleaned : value)));
}

function errorMessageIn(bytes: Buffer): string | undefined {
  const body = readJson(bytes, ['error', 'response']);
  for (const place of [body, body?.object('response', ['error'])]) {
    const error = place?.value('error');
    const message = isObject(error) ? error['message'] : error;
    if (typeof message === 'string') return message;
  }
  return undefined;
}

const secretsIn = ({ providers }: Settings): (string | undefined)[] => [...providers.values()].flatMap(secretsOf);

function secretsOf({ secrets, headers }: ProviderSettings): string[] {
  const inHeaders = Object.values(headers).filter((value) => value.length >= secretHeaderCharactersMin);
  return [...Object.values(secrets), ...inHeaders];
}
