/**
 * Volcengine's request signature: HMAC-SHA256 over a canonical form of the request, with a key derived from the secret,
 * the day, the region and the service. As documented at https://www.volcengine.com/docs/6369/67269; the visual service's
 * own example (https://www.volcengine.com/docs/6444/1390583) signs content type, host, digest and date.
 */
import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  method: string;
  /** As it is sent, with its port, if that isn't the scheme's own, and its query. */
  url: string;
  body: string;
  /** Signed and sent where it is given. */
  contentType?: string;
}

export interface Credentials {
  accessKey: string;
  secretKey: string;
}

/** Which service of which region is asked; both are part of the signing key. */
export interface Scope {
  region: string;
  service: string;
}

const algorithm = 'HMAC-SHA256';

/**
 * The headers that sign a request, their names in lower case. `host` is signed but not among them, since it follows from
 * the URL. Holds for 15 minutes from `at`, which is sent too.
 */
export function signingHeaders(
  { method, url, body, contentType }: SignedRequest,
  { accessKey, secretKey }: Credentials,
  { region, service }: Scope,
  at: Date,
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url);
  const time = at.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const digest = sha256(body);
  const sent = {
    ...(contentType !== undefined && { 'content-type': contentType }),
    'x-content-sha256': digest,
    'x-date': time,
  };
  const signed = byBytes(Object.entries({ ...sent, host }));
  const signedNames = signed.map(([name]) => name).join(';');
  const canonical = [
    method.toUpperCase(),
    pathname,
    canonicalQuery(searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    signedNames,
    digest,
  ].join('\n');
  const day = time.slice(0, 8);
  const credentialScope = [day, region, service, 'request'].join('/');
  const key = [day, region, service, 'request'].reduce<string | Buffer>(hmac, secretKey);
  const signature = hmac(key, [algorithm, time, credentialScope, sha256(canonical)].join('\n')).toString('hex');
  const parts = [`Credential=${accessKey}/${credentialScope}`, `SignedHeaders=${signedNames}`];
  return { ...sent, authorization: `${algorithm} ${[...parts, `Signature=${signature}`].join(', ')}` };
}

/** Names in the order of their bytes; values of the same name keep theirs. */
const canonicalQuery = (query: URLSearchParams): string =>
  byBytes([...query].map(([name, value]): [string, string] => [encoded(name), encoded(value)]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const byBytes = (pairs: readonly [string, string][]): [string, string][] =>
  [...pairs].sort(([one], [other]) => (one < other ? -1 : Number(one > other)));

/** Percent-encoding of RFC 3986, under which only letters, digits and `-_.~` stay. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
