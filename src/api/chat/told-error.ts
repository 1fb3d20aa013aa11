/** What a caller is told of an upstream's error: its own words, without the operator's addresses and credentials. */
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { cleanUpstreamMessage, upstreamError, type UpstreamError } from '../../net/upstream-error.ts';

/** Shorter values of extra headers are no credentials, and might be words of any message. */
const secretHeaderCharactersMin = 12;

/** Reads an error's body and cleans all of it; the message is never empty. */
export function toldError(
  body: Buffer,
  contentType: string,
  { providers }: { providers: ReadonlyMap<string, ProviderSettings> },
): UpstreamError {
  const { message, param, code } = upstreamError(body, contentType);
  const secrets = [...providers.values()].flatMap(secretsOf);
  const clean = (text: string | null) => (text === null ? null : cleanUpstreamMessage(text, secrets));
  return { message: clean(message) || 'The model refused the request.', param: clean(param), code: clean(code) };
}

function secretsOf({ apiKey, accessKey, secretKey, headers }: ProviderSettings): (string | undefined)[] {
  const inHeaders = Object.values(headers).filter((value) => value.length >= secretHeaderCharactersMin);
  return [apiKey, accessKey, secretKey, ...inHeaders];
}
