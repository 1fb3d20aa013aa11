/** The recorded bodies of a request, for those who may read them: noted in the audit log before they are shown. */
import { GatewayError } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Administrator } from '../ledger/audit-log.ts';
import { BodySecretGone } from '../bodies/seal-body.ts';
import { findBodyRecording, logBodyRead } from '../bodies/recording-settings.ts';
import { type FoundBodies, findBodies } from '../bodies/stored-bodies.ts';
import type { ApiDependencies } from './dependencies.ts';

export interface BodiesWanted {
  account: AccountId;
  requestId: string;
  /** Unix seconds; the newest of its id if absent. */
  created?: number | undefined;
}

/** Refuses with `body_not_found`, and why. */
export async function readBodies(
  { bodies, blobs, database, secrets }: Pick<ApiDependencies, 'bodies' | 'blobs' | 'database' | 'secrets'>,
  by: Administrator,
  { account, requestId, created }: BodiesWanted,
): Promise<FoundBodies> {
  await bodies.written(); // those of calls that this process has answered by now
  const found = await findBodies({ database, blobs, keys: secrets }, account, requestId, created).catch(
    (error: unknown) => {
      if (!(error instanceof BodySecretGone)) throw error;
      throw notFound("It was encrypted under an operator's secret that is no longer set.", error);
    },
  );
  if (!found) {
    const { isOn } = await findBodyRecording(database, account);
    throw notFound(
      isOn
        ? 'It came before recording was switched on, its retention has passed, or it was deleted.'
        : 'Recording of bodies is switched off for this account, and none is kept from before.',
    );
  }
  await logBodyRead(by, account, requestId);
  return found;
}

const notFound = (why: string, cause?: unknown): GatewayError =>
  new GatewayError('body_not_found', `No body is recorded of this request. ${why}`, { cause });
