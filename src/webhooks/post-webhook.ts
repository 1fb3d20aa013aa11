/** Sends one attempt of a webhook: signed, to public hosts only, bounded in time, without following redirects. */
import { request } from 'undici';
import { GatewayError } from '../domain/errors.ts';
import { judgedStatus, type WebhookOutcome, type WebhookRequest } from '../domain/webhook-rules.ts';
import { ClosedHost, GuardedAgents } from '../net/guarded-agents.ts';
import type { AddressGuard } from '../net/public-hosts.ts';
import { readAnswer } from './receiver-answer.ts';
import { webhookSignature } from './webhook-signature.ts';

/** For all of it: look-up, connection, answer. */
const timeout_ms = 15_000;
const refused = 'the address is refused: it must be http or https on a public host';

// A connection of its own for each: attempts are rare, and one that was kept may be closed by now.
const agents = new GuardedAgents({ connectTimeout: timeout_ms, pipelining: 0, maxHeaderSize: 16 * 1024 });

/**
 * Makes the sender. It returns what became of the attempt, in words without the address; rejects only with the reason of
 * `signal`, or if there is no secret to sign with.
 */
export const webhookPoster =
  (guard: AddressGuard, { timeoutMs = timeout_ms } = {}) =>
  async ({ url, id, body, secrets }: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome> => {
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Tollgate',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature({ id, timestamp, body, secrets }),
    };
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      await guard.check(url);
      const address = new URL(url);
      const answer = await request(address, {
        dispatcher: agents.for(address, guard),
        signal: AbortSignal.any([deadline, signal]),
        method: 'POST',
        headers,
        body,
      });
      const said = await readAnswer(answer.body);
      return { ...judgedStatus(answer.statusCode), ...(said !== undefined && { answer: said }) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GatewayError || error instanceof ClosedHost) {
        return { verdict: 'never', status: null, fault: refused };
      }
      const fault = deadline.aborted ? `no answer within ${timeoutMs / 1000} s` : `no answer (${codeOf(error)})`;
      return { verdict: 'again', status: null, fault };
    }
  };

/** A code such as ECONNREFUSED; a message would name the host. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'the connection broke';
}
