/** Why something failed, in plain words, and without any secret of the settings. */
import type { Environment } from '../../../config/environment.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { decoded, secretsOfConfiguration, secretsOfEnvironment } from '../../../config/known-secrets.ts';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed immediately',
  EPIPE: 'the connection was closed immediately',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'DNS lookup failed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'no answer',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
  UND_ERR_HEADERS_TIMEOUT: 'no answer',
  UND_ERR_SOCKET: 'the connection was closed immediately',
  UND_ERR_ABORTED: 'timed out',
  ABORT_ERR: 'timed out',
  ENOSPC: 'no space left (ENOSPC)',
  EDQUOT: 'over quota (EDQUOT)',
  EACCES: 'permission denied (EACCES)',
  EPERM: 'operation not permitted (EPERM)',
  EROFS: 'mounted read-only (EROFS)',
  ENOTDIR: 'not a folder (ENOTDIR)',
  EEXIST: 'a file with this name exists (EEXIST)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an untrusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an untrusted authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};
const charactersMax = 300;

/** The innermost cause that has a code or says something. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timed out';
  const code = codeOf(error);
  const known = code === undefined ? undefined : words[code];
  if (known !== undefined) return known;
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const said = 'details' in error && typeof error.details === 'string' ? error.details : error.message;
  const line = said.replace(/\s+/g, ' ').trim().slice(0, charactersMax);
  return line === '' ? (code ?? error.name) : line;
}

/** The code of an error, such as `ECONNREFUSED` or an SQLSTATE. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const secretCharactersMin = 8;
/** What is in our own sentences gives nothing away. */
const plain: ReadonlySet<string> = new Set(['tollgate', 'postgres', 'temporal', 'password']);

/** Blots out every secret that is known. Checks don't print any; this sees to it whatever a server's message says. */
export class Blotter {
  readonly #secrets = new Set<string>();

  /** Variables that hold secrets, whether they can be read or not. */
  addVariables(env: Record<string, string | undefined>): void {
    for (const [name, value] of Object.entries(env))
      if (/(SECRET|PASSWORD|TOKEN|_KEYS?)(_ID)?$/.test(name))
        for (const part of (value ?? '').split(',')) this.#add(part);
    const url = env['DATABASE_URL'] ?? '';
    this.#add(/^[^:]*:\/\/[^:@/]*:(.*)@/.exec(url)?.[1]);
    if (URL.canParse(url)) this.#add(decoded(new URL(url).password));
  }

  addSettings(environment: Environment): void {
    for (const secret of secretsOfEnvironment(environment)) this.#add(secret);
  }

  addConfiguration(configuration: Configuration): void {
    for (const secret of secretsOfConfiguration(configuration)) this.#add(secret);
  }

  blotted(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '***');
    return clean;
  }

  #add(secret: string | undefined): void {
    const value = secret?.trim() ?? '';
    if (value.length >= secretCharactersMin && !plain.has(value)) this.#secrets.add(value);
  }
}
