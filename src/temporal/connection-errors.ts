/** Errors of the connection to Temporal, with messages that name the setting to check. */
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import type { TemporalTarget } from './connection.ts';
import { tlsFault } from './tls-probe.ts';

/** A Temporal that can't be worked with as the settings say; its message is for the operator. */
export class TemporalConnectionError extends Error {
  override readonly name = 'TemporalConnectionError';
  /** Waiting may help: as far as is known, no setting is wrong. */
  readonly isAway: boolean;

  constructor(message: string, isAway: boolean, cause: unknown) {
    super(message, { cause });
    this.isAway = isAway;
  }
}

// Of gRPC.
const invalidArgument = 3;
const notFound = 5;
const alreadyExists = 6;
const permissionDenied = 7;
const failedPrecondition = 9;
const outOfRange = 11;
const unimplemented = 12;
const unauthenticated = 16;
const checkMsMax = 10_000;

type Service = Pick<Connection, 'workflowService' | 'withDeadline'>;

/** Resolves if Temporal answers and knows the namespace; throws a TemporalConnectionError otherwise. */
export async function checkTemporal(connection: Service, target: TemporalTarget): Promise<void> {
  const { namespace } = target;
  try {
    await connection.withDeadline(Date.now() + checkMsMax, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    throw await diagnose(error, target);
  }
}

/** As `connectionErrorOf`; where gRPC only says that there is no connection, it also asks TLS for the reason. */
export async function diagnose(error: unknown, target: TemporalTarget): Promise<TemporalConnectionError> {
  const failure = connectionErrorOf(error, target);
  const fault = failure.isAway && target.tls ? await tlsFault(target) : undefined;
  return fault === undefined ? failure : tlsErrorOf(fault, target, error);
}

/** What an error of a connection or a call means for the operator. */
export function connectionErrorOf(
  error: unknown,
  { address, namespace, tls }: TemporalTarget,
): TemporalConnectionError {
  const words = wordsOf(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const wrong = (says: string) => new TemporalConnectionError(says, false, error);
  if (code === notFound) {
    return wrong(
      `TEMPORAL_NAMESPACE: Temporal at ${address} has no namespace ${namespace}. Create it with 'temporal operator namespace ` +
        `create --address ${address} --namespace ${namespace} --retention 30d' or in Temporal Cloud, or use another one.`,
    );
  }
  // Of workers' connections there are words only.
  if (code === unauthenticated || code === permissionDenied || /unauthorized|valid authentication/i.test(words)) {
    return wrong(
      `TEMPORAL_API_KEY or TEMPORAL_TLS_CLIENT_CERT_PATH: Temporal at ${address} denies this client access to the namespace ` +
        `${namespace} (${words}). The key or certificate may have expired or belong to another namespace.`,
    );
  }
  if (code === unimplemented) {
    return wrong(`TEMPORAL_ADDRESS: the server at ${address} is not Temporal, or does not support this (${words}).`);
  }
  const hint = tls ? '' : ' If it requires TLS, set TEMPORAL_TLS=true.';
  return new TemporalConnectionError(
    `TEMPORAL_ADDRESS: Temporal is unreachable at ${address} (${words}).${hint}`,
    true,
    error,
  );
}

const tlsErrorOf = (fault: string, { address }: TemporalTarget, cause: unknown): TemporalConnectionError =>
  new TemporalConnectionError(
    `TEMPORAL_TLS_SERVER_CA_CERT_PATH or TEMPORAL_TLS_SERVER_NAME: the TLS connection to Temporal at ${address} failed ` +
      `(${fault}). The first must be the CA that signed the server's certificate, the second a name in that certificate; if the ` +
      `server requires a client certificate, TEMPORAL_TLS_CLIENT_CERT_PATH must be one signed by its CA.`,
    false,
    cause,
  );

const ofOneCall: readonly number[] = [invalidArgument, notFound, alreadyExists, failedPrecondition, outOfRange];

/** Whether a call failed because of Temporal's or the network's state, and not because of the request. */
export function isTemporalUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isGrpcServiceError(error)) return !ofOneCall.includes(error.code);
  return error instanceof NamespaceNotFoundError || isTemporalUnavailable(error.cause);
}

/** The innermost message: what wraps it says less. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  return (details === '' ? error.message : details).replace(/\s+/g, ' ').slice(0, 300);
}
