/** Downloads of files that callers or results name: public hosts only, bounded in bytes, time and redirects. */
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request, type Dispatcher } from 'undici';
import { GatewayError } from '../domain/errors.ts';
import { ClosedHost, GuardedAgents } from './guarded-agents.ts';
import type { AddressGuard } from './public-hosts.ts';

const redirectsMax = 5;
const connectMs = 10_000;
/** Between two pieces of a body. */
const idleMs = 30_000;

export interface FetchFileOptions {
  guard: AddressGuard;
  bytesMax: number;
  /** For the whole download, redirects included. */
  timeoutMs: number;
  signal?: AbortSignal;
  /**
   * The caller's name for the address: with it, whatever goes wrong is the caller's `invalid_parameter`. Without, it came
   * from a provider: what can't get better is `upstream_error`, the rest FetchError.
   */
  param?: string;
}

/** A provider's file did not come now, but may come later, or from a fresh address. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
}

/**
 * Opens a download. The guard checks the address and every redirect before it is followed, and the connection once
 * more, so that a name can't lead elsewhere in between.
 * Refuses, or ends the stream, with a GatewayError (or FetchError, see `param`) when the address is refused or redirects
 * too often, the answer is not 200, the file has more than `bytesMax`, or `timeoutMs` have passed. An abort by `signal`
 * rejects with its reason.
 */
export async function fetchFile(url: string, options: FetchFileOptions): Promise<Readable> {
  const { guard, bytesMax, timeoutMs, signal, param } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  try {
    if (!URL.canParse(url)) throw failure('it is not a URL');
    const { body, headers } = await followRedirects(new URL(url));
    const announcedBytes = Number(headers['content-length'] ?? 0);
    if (announcedBytes > bytesMax) {
      body.on('error', ignore).destroy();
      throw tooLarge();
    }
    return bounded(body);
  } catch (error) {
    throw translated(error);
  }

  async function followRedirects(address: URL): Promise<Dispatcher.ResponseData> {
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      await guard.check(address.href, param).catch((error: unknown) => {
        // What a provider's answer names is no mistake of the caller's.
        if (param !== undefined || !(error instanceof GatewayError)) throw error;
        throw failure('its address is not allowed', error);
      });
      const dispatcher = agents.for(address, guard);
      const answer = await request(address, { dispatcher, signal: stop, method: 'GET', headers: { accept: '*/*' } });
      if (answer.statusCode === 200) return answer;
      answer.body.on('error', ignore).destroy();
      const { location } = answer.headers;
      if (![301, 302, 303, 307, 308].includes(answer.statusCode) || typeof location !== 'string') {
        throw passingFailure(`the server returned ${answer.statusCode}`);
      }
      if (!URL.canParse(location, address.href)) throw failure('it redirects to an invalid URL');
      address = new URL(location, address.href);
    }
    throw failure(`it redirects more than ${redirectsMax} times`);
  }

  function bounded(body: Readable): Readable {
    let bytes = 0;
    const cap = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        done(bytes > bytesMax ? tooLarge() : null, chunk);
      },
      destroy(error, done) {
        done(error === null ? null : translated(error));
      },
    });
    // The pipeline hands every failure to `cap`, whose reader is the one to hear of it.
    pipeline(body, cap).catch(ignore);
    return cap;
  }

  function translated(error: unknown): Error {
    if (error instanceof GatewayError || error instanceof FetchError) return error;
    if (signal?.aborted === true) return asError(signal.reason);
    if (deadline.aborted) return passingFailure(`it took longer than ${timeoutMs / 1000} s`);
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
    if (error instanceof ClosedHost) return failure('its host is not on the public internet', error);
    return passingFailure(`the download failed (${code})`, error);
  }

  function tooLarge(): GatewayError {
    return failure(`it has more than ${bytesMax} bytes`);
  }

  /** A failure that may pass. With `param`, the request fails with it at once all the same. */
  function passingFailure(reason: string, cause?: unknown): Error {
    return param === undefined ? new FetchError(reason, { cause }) : failure(reason, cause);
  }

  function failure(reason: string, cause?: unknown): GatewayError {
    const code = param === undefined ? 'upstream_error' : 'invalid_parameter';
    return new GatewayError(code, `The file at this URL could not be fetched: ${reason}.`, {
      ...(param === undefined ? {} : { param }),
      cause,
    });
  }
}

const agents = new GuardedAgents({
  connectTimeout: connectMs,
  headersTimeout: idleMs,
  bodyTimeout: idleMs,
  connections: 16,
});

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

function ignore(): void {
  // the stream's reader learns of it by the stream itself
}
