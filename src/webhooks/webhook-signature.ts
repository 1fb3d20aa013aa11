/** Signatures of webhooks as Standard Webhooks has them: HMAC-SHA256 over id, moment and body, one for each secret. */
import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

export interface SignedParts {
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  body: string;
  /** `whsec_` and the key in base64. */
  secrets: readonly string[];
}

/** The value of `webhook-signature`: `v1,<base64>` for each secret, with spaces between. Throws if there is no secret. */
export function webhookSignature({ id, timestamp, body, secrets }: SignedParts): string {
  if (secrets.length === 0) throw new Error('a webhook is not sent unsigned');
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
