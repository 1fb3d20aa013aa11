/** Sends a form with files, and reports progress, which `fetch` doesn't for what it sends. */
import { ConsoleError, errorOfAnswer } from './error.ts';
import { signInAgain, signInsSoFar } from './sign-in-again.ts';

export interface Progress {
  sentBytes: number;
  totalBytes: number;
  /** Over the last seconds; 0 at the beginning. */
  bytesPerSecond: number;
}

const windowMs = 3_000;

/**
 * Returns the id of what was made of it. Where the session has ended, waits for a new sign-in and sends all of it again, under
 * the same Idempotency-Key. Raises a ConsoleError for what is refused, and the signal's reason when it aborts.
 */
export async function upload(
  address: string,
  form: FormData,
  key: string,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<string> {
  const sentAfter = signInsSoFar();
  const answer = await sent(address, form, key, signal, report);
  if (answer.ok) return idOf(await answer.json());
  const error = await errorOfAnswer(answer);
  if (error.code !== 'not_signed_in') throw error;
  await signInAgain(sentAfter);
  return upload(address, form, key, signal, report);
}

function sent(
  address: string,
  form: FormData,
  key: string,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const paces: { at: number; bytes: number }[] = [];
    request.upload.onprogress = ({ loaded, total }) => {
      const at = performance.now();
      paces.push({ at, bytes: loaded });
      while ((paces[0]?.at ?? at) < at - windowMs) paces.shift();
      const first = paces[0] ?? { at, bytes: loaded };
      const bytesPerSecond = at > first.at ? ((loaded - first.bytes) * 1000) / (at - first.at) : 0;
      report({ sentBytes: loaded, totalBytes: total, bytesPerSecond });
    };
    request.onload = () => {
      const headers = new Headers();
      const requestId = request.getResponseHeader('X-Request-Id');
      if (requestId !== null) headers.set('X-Request-Id', requestId);
      resolve(new Response(request.responseText, { status: request.status, headers }));
    };
    request.onerror = () =>
      reject(new ConsoleError("The server can't be reached.", { code: 'unreachable', status: 0 }));
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.open('POST', address);
    request.setRequestHeader('Idempotency-Key', key);
    request.send(form);
  });
}

function idOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new ConsoleError('The answer has no id.', { code: 'unexpected', status: -1 });
}
