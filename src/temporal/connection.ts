/** Connections to a Temporal server: plain on loopback, TLS or an API key as the settings say. */
import { readFile } from 'node:fs/promises';
import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { TemporalSettings } from '../config/environment.ts';

/** The settings with the address that is used: theirs, or the embedded server's. */
export type TemporalTarget = TemporalSettings & { address: string };

const callMsMax = 5_000;
/**
 * How long a question about a schedule may take. Temporal gives the worker that has the schedule in memory 5 s before it asks
 * another: of 925 questions beside triggers or soon after one, six took 5.03 to 5.06 s and no other more than one.
 */
export const scheduleMsMax = 8_000;
const scheduleQuestion = '/temporal.api.workflowservice.v1.WorkflowService/DescribeSchedule';

/** A connection that is made when it is first used, so that the API starts and accepts while Temporal is away. */
export const lazyConnection = async (target: TemporalTarget): Promise<Connection> =>
  Connection.lazy(await optionsOf(target));

/**
 * The same for a process that serves, of one namespace and with five seconds for every call but a question about a schedule.
 * What the client would set for single calls goes by AsyncLocalStorage: from its first use on Node notes a context in each
 * promise of the process, which costs time, and memory in thousands of waiting callers with twenty promises each.
 */
export async function servingConnection(target: TemporalTarget, callMs = callMsMax): Promise<Connection> {
  const again = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  const limited: typeof again = (options, next) => {
    const ms = options.method_definition.path === scheduleQuestion ? scheduleMsMax : callMs;
    return again({ ...options, deadline: Date.now() + ms }, next);
  };
  const metadata = { 'temporal-namespace': target.namespace };
  return ServingConnection.lazy({ ...(await optionsOf(target)), metadata, interceptors: [limited] });
}

class ServingConnection extends Connection {
  override withDeadline<Answer>(_deadline: number | Date, call: () => Promise<Answer>): Promise<Answer> {
    return call();
  }

  /** The client names the namespace of each call; the connection does. */
  override withMetadata<Answer>(_metadata: object, call: () => Promise<Answer>): Promise<Answer> {
    return call();
  }
}

/** How to connect, in the words of both kinds of connection. */
export async function optionsOf({ address, apiKey, tls }: TemporalTarget): Promise<NativeConnectionOptions> {
  if (!tls) return { address };
  const { serverName, serverCaPath, clientCertPath, clientKeyPath } = tls;
  return {
    address,
    ...(apiKey !== undefined && { apiKey }),
    tls: {
      ...(serverName !== undefined && { serverNameOverride: serverName }),
      ...(serverCaPath !== undefined && { serverRootCACertificate: await readFile(serverCaPath) }),
      ...(clientCertPath !== undefined &&
        clientKeyPath !== undefined && {
          clientCertPair: { crt: await readFile(clientCertPath), key: await readFile(clientKeyPath) },
        }),
    },
  };
}
