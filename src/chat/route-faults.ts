/** What a call comes to at one provider when it fails there: the route's fault, or the caller's. */

/** A route's failure before the first byte; the next route may do better. */
export class RouteFault extends Error {
  override readonly name = 'RouteFault';
  readonly kind: 'limited' | 'timeout' | 'fault';
  readonly retryAfterSeconds: number | undefined;
  /** Whether there was a connection to the upstream. */
  readonly isReached: boolean;
  /** Of the upstream's answer, if it gave one. */
  readonly status: number | undefined;
  constructor(
    kind: RouteFault['kind'],
    message: string,
    details: { retryAfterSeconds?: number | undefined; status?: number; isReached?: boolean } = {},
  ) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.status = details.status;
    this.isReached = details.isReached ?? true;
  }
}

/** An answer that the upstream gave for the caller's own mistake, with its own status. */
export class CallerFault extends Error {
  override readonly name = 'CallerFault';
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  constructor(
    status: number,
    { message, param, code }: { message: string; param: string | null; code: string | null },
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}
