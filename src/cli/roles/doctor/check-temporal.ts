/** Temporal: whether it answers, lets us in, and has our namespace with what our workflows need. */
import { Client, type Connection, isGrpcServiceError } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { TemporalSettings } from '../../../config/environment.ts';
import { lazyConnection } from '../../../temporal/connection.ts';
import { type QueueNames, searchAttributes } from '../../../temporal/temporal-names.ts';
import { fail, ok, skip, type Verdict, warn } from './finding.ts';
import { reasonOf } from './reason.ts';
import { findSocketError } from './check-sockets.ts';

const connectMsMax = 3_500;
const callMsMax = 4_000;
const dayMs = 86_400_000;
/** The nightly audit lays tasks beside workflows, and one night may be missed. */
const retentionMsMin = 2 * dayMs;

/** Codes of gRPC. */
const notFound = 5;
const permissionDenied = 7;
const unimplemented = 12;
const unauthenticated = 16;

/** Opens a connection, which the caller closes. */
export async function examineTemporal(
  settings: TemporalSettings,
  address: string | undefined,
  onOpen: (connection: Connection) => void,
): Promise<Verdict<Client>> {
  const name = 'temporal';
  if (address === undefined) return { findings: [skip(name, 'its address is unknown')] };
  const error = await findSocketError(address, connectMsMax);
  if (error !== undefined)
    return { findings: [fail(name, `${address}: ${error}`, 'start Temporal, or correct TEMPORAL_ADDRESS')] };
  const connection = await lazyConnection({ ...settings, address });
  onOpen(connection);
  try {
    await connection.withDeadline(Date.now() + callMsMax, () => connection.ensureConnected());
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    const how = settings.tls ? (settings.apiKey === undefined ? ', with TLS' : ', with TLS and an API key') : '';
    const client = new Client({ connection, namespace: settings.namespace });
    return { findings: [ok(name, `server ${serverVersion} at ${address}${how}`)], value: client };
  } catch (error) {
    return { findings: [fail(name, `${address}: ${reasonOf(error)}`, connectionFix(error, settings))] };
  }
}

export async function examineNamespace(client: Client, isOurs: boolean): Promise<Verdict<true>> {
  const { namespace } = client.options;
  const name = 'namespace';
  try {
    const { config } = await within(client, () => client.workflowService.describeNamespace({ namespace }));
    const keptMs = optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0;
    const found = `${namespace}, retention ${(keptMs / dayMs).toFixed(keptMs % dayMs === 0 ? 0 : 1)} days`;
    const fix = `temporal operator namespace update --retention 30d -n ${namespace}`;
    const finding = keptMs < retentionMsMin ? warn(name, `${found}: too short for the audit`, fix) : ok(name, found);
    return { findings: [finding], value: true };
  } catch (error) {
    const { code } = codeOf(error);
    const make = `temporal operator namespace create --retention 30d -n ${namespace}`;
    if (code === notFound)
      return { findings: [fail(name, `${namespace} does not exist`, `${make}, or correct TEMPORAL_NAMESPACE`)] };
    const fix = isOurs ? 'check temporal/temporal.log in the data folder' : connectionFix(error, {});
    return { findings: [fail(name, `${namespace}: ${reasonOf(error)}`, fix)] };
  }
}

/** Without our search attributes Temporal refuses to start a workflow. */
export async function examineSearchAttributes(client: Client): Promise<Verdict<true>> {
  const { namespace } = client.options;
  const name = 'search attributes';
  let known: Record<string, unknown>;
  try {
    const answer = await within(client, () => client.connection.operatorService.listSearchAttributes({ namespace }));
    known = answer.customAttributes;
  } catch (error) {
    const { code } = codeOf(error);
    if (code !== permissionDenied && code !== unimplemented) throw error;
    const fix = `check in Temporal's UI that ${namespace} has ${wanted.map(({ name: each }) => each).join(', ')}`;
    return { findings: [warn(name, 'this key is not allowed to list them', fix)] };
  }
  const missing = wanted.filter((each) => known[each.name] === undefined);
  const other = wanted.filter((each) => ![undefined, each.code].includes(numberOf(known[each.name])));
  if (other.length > 0) {
    const names = other.map((each) => each.name).join(', ');
    return {
      findings: [fail(name, `${names}: registered with a different type`, 'use a separate namespace for Tollgate')],
    };
  }
  if (missing.length === 0) return { findings: [ok(name, `all ${wanted.length} are registered`)], value: true };
  const flags = missing.map((each) => `--name ${each.name} --type ${each.type}`).join(' ');
  const fix = `npx tollgate migrate, or: temporal operator search-attribute create -n ${namespace} ${flags}`;
  return { findings: [fail(name, `missing: ${missing.map((each) => each.name).join(', ')}`, fix)] };
}

/**
 * Of the dynamic settings only the partitions of a queue can be seen. Tasks that are handed from one to another stall
 * for up to two seconds under load.
 */
export async function examinePartitions(client: Client, { workflows }: QueueNames): Promise<Verdict<true>> {
  const { namespace } = client.options;
  const name = 'dynamic config';
  let count: number;
  try {
    const request = { namespace, taskQueue: { name: workflows } };
    const answer = await within(client, () => client.workflowService.listTaskQueuePartitions(request));
    count = answer.workflowTaskQueuePartitions.length;
  } catch (error) {
    const { code } = codeOf(error);
    if (code !== permissionDenied && code !== unimplemented) throw error;
    return { findings: [] };
  }
  if (count <= 1) return { findings: [ok(name, 'one partition per queue')], value: true };
  const fix = 'apply ops/temporal-dynamic-config.yaml, unless one queue has hundreds of tasks per second';
  return { findings: [warn(name, `${count} partitions per queue: tasks may stall between them`, fix)], value: true };
}

/** Sends a call that ends in time. */
export const within = <T>(client: Client, call: () => Promise<T>, msMax = callMsMax): Promise<T> =>
  client.withDeadline(Date.now() + msMax, call);

/** As the CLI names the types: `Keyword`, `KeywordList`. */
const typeName = (type: string): string =>
  type
    .toLowerCase()
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
const wanted = Object.values(searchAttributes).map(({ name, type }) => ({
  name,
  type: typeName(type),
  code: Number(encodeSearchAttributeIndexedValueType(type)),
}));

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const codeOf = (error: unknown): { code: number | undefined } => {
  const cause = error instanceof Error && !isGrpcServiceError(error) ? error.cause : error;
  return { code: isGrpcServiceError(cause) ? cause.code : undefined };
};

function connectionFix(error: unknown, { tls }: Partial<Pick<TemporalSettings, 'tls'>>): string {
  const { code } = codeOf(error);
  if (code === unauthenticated || code === permissionDenied)
    return 'correct TEMPORAL_API_KEY or the client certificate, or their permissions in this namespace';
  return tls
    ? 'check TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_SERVER_NAME and the client certificate, or turn off TEMPORAL_TLS'
    : 'something else is listening there, or it requires TLS (TEMPORAL_TLS, TEMPORAL_API_KEY)';
}
