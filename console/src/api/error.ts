/** Every failure between the console and its server, as one class that pages can show. */

/** An answer that is an error, or none at all: then `status` is 0 and `code` is `unreachable`. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code: string;
  /** The path of the refused value in the request, such as `limits.requests_per_minute`. */
  readonly param: string | null;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, details: ErrorFacts) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.param = details.param ?? null;
    this.status = details.status;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }

  /** Whether the server couldn't be asked, or could do nothing just now: the same may work in a moment. */
  get isAway(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 504 || this.code === 'not_ready';
  }
}

interface ErrorFacts {
  code: string;
  status: number;
  param?: string | null;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** Reads an error response. Never throws, whatever a proxy in between may have sent. */
export async function errorOfAnswer(answer: Response): Promise<ConsoleError> {
  const { status, headers } = answer;
  const parsed = parsedError(await answer.text().catch(() => ''));
  // A wait above a minute is not said by Retry-After, in which clients sleep.
  const retryAfter = Number(
    headers.get('retry-after') ?? (status === 429 ? headers.get('x-ratelimit-reset') : null) ?? Number.NaN,
  );
  return new ConsoleError(parsed?.message ?? `HTTP ${status}`, {
    code: parsed?.code ?? `http_${status}`,
    param: parsed?.param ?? null,
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

/** Any thrown value as a ConsoleError, for what shows errors. */
export function toConsoleError(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error;
  return new ConsoleError(error instanceof Error ? error.message : String(error), {
    code: 'unexpected',
    status: -1,
    cause: error,
  });
}

/** A provider's own error may have no code. */
function parsedError(text: string): { message: string; code?: string; param: string | null } | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (!isRecord(body) || !isRecord(body['error'])) return undefined;
    const { message, code, param } = body['error'];
    if (typeof message !== 'string') return undefined;
    return {
      message,
      ...(typeof code === 'string' && { code }),
      param: typeof param === 'string' ? param : null,
    };
  } catch {
    return undefined; // not JSON: a proxy's page
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
