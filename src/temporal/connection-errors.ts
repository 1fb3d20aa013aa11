/** What stands between this process and its Temporal, told in words that name the setting to look at. */
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import type { TemporalTarget } from './connection.ts';
import { tlsFault } from './tls-probe.ts';

/** A Temporal that can't be worked with as the settings say; its message is for the operator. */
export class TemporalTrouble extends Error {
  override readonly name = 'TemporalTrouble';
  /** Waiting may help: it is not a setting that is wrong, as far as one can tell. */
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

/** Resolves if Temporal answers and knows the namespace; raises a TemporalTrouble otherwise. */
export async function checkTemporal(connection: Service, target: TemporalTarget): Promise<void> {
  const { namespace } = target;
  try {
    await connection.withDeadline(Date.now() + checkMsMax, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    throw await diagnosed(error, target);
  }
}

/** As `troubleOf`, with what TLS has against the connection where gRPC only says that there is none. */
export async function diagnosed(error: unknown, target: TemporalTarget): Promise<TemporalTrouble> {
  const trouble = troubleOf(error, target);
  const fault = trouble.isAway && target.tls ? await tlsFault(target) : undefined;
  return fault === undefined ? trouble : tlsTrouble(fault, target, error);
}

/** What an error of a connection or a call means for the operator. */
export function troubleOf(error: unknown, { address, namespace, tls }: TemporalTarget): TemporalTrouble {
  const words = wordsOf(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const wrong = (says: string) => new TemporalTrouble(says, false, error);
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
  return new TemporalTrouble(`TEMPORAL_ADDRESS: Temporal is unreachable at ${address} (${words}).${hint}`, true, error);
}

const tlsTrouble = (fault: string, { address }: TemporalTarget, cause: unknown): TemporalTrouble =>
  new TemporalTrouble(
    `TEMPORAL_TLS_SERVER_CA_CERT_PATH or TEMPORAL_TLS_SERVER_NAME: the TLS connection to Temporal at ${address} failed ` +
      `(${fault}). The first must be the CA that signed the server's certificate, the second a name in that certificate; if the ` +
      `server requires a client certificate, TEMPORAL_TLS_CLIENT_CERT_PATH must be one signed by its CA.`,
    false,
    cause,
  );

const ofOneCall: readonly number[] = [invalidArgument, notFound, alreadyExists, failedPrecondition, outOfRange];

/** Whether a call failed by what Temporal, or the way there, is like now, and not by what was asked for. */
export function isTroubleOfServer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isGrpcServiceError(error)) return !ofOneCall.includes(error.code);
  return error instanceof NamespaceNotFoundError || isTroubleOfServer(error.cause);
}

/** The innermost words that are there: what wraps them says less. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  return (details === '' ? error.message : details).replace(/\s+/g, ' ').slice(0, 300);
}
