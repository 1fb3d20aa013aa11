/** The bodies of requests: whether they are recorded, what was recorded of one, and deleting all. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { bodyRecordingChanges } from '../../../domain/requests/body-recording.ts';
import { changeBodyRecording, deleteBodies, findBodyRecording } from '../../../bodies/recording-settings.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { requestBodiesObject, requestBodiesRecord } from '../../presenters/bodies.ts';
import { readBodies } from '../../read-bodies.ts';
import { accountCall } from '../console-call.ts';

const recordingRecord = z.strictObject({
  record_bodies: z.boolean(),
  retention_days: z.int(),
  redacted_fields: z.array(z.string()),
  /** Whether the operator of the gateway allows it at all. */
  allowed: z.boolean(),
  max_bytes: z.int(),
});

const getRecording = accountCall({
  method: 'get',
  path: '/accounts/{account}/body-recording',
  id: 'getBodyRecording',
  summary: 'Whether bodies of requests are recorded, for how long, and without which fields',
  needs: 'owner',
  answer: recordingRecord,
  handle: ({ deps, account }) => recordingOf(deps, account),
});

const changeRecording = accountCall({
  method: 'patch',
  path: '/accounts/{account}/body-recording',
  id: 'changeBodyRecording',
  summary: 'Change that; what is not named stays. Operators may only switch it off',
  needs: 'owner',
  body: bodyRecordingChanges,
  answer: recordingRecord,
  handle: async ({ deps, account, role, by, body: { record_bodies: isOn, ...rules } }) => {
    const { retention_days: retentionDays, redacted_fields: redactedFields } = rules;
    if (role === 'operator' && (isOn !== false || Object.keys(rules).length > 0))
      throw new GatewayError('permission_denied', 'Operators may switch the recording of bodies off, and no more.');
    if (isOn === true && !deps.configuration.requestBodies.allowed)
      throw new GatewayError('permission_denied', 'The operator of this gateway allows no recording of bodies.');
    await changeBodyRecording(by, account, {
      ...(isOn !== undefined && { isOn }),
      ...(retentionDays !== undefined && { retentionDays }),
      ...(redactedFields !== undefined && { redactedFields }),
    });
    return recordingOf(deps, account);
  },
});

const deleteAll = accountCall({
  method: 'delete',
  path: '/accounts/{account}/bodies',
  id: 'deleteBodies',
  summary: 'Delete all recorded bodies of the account',
  needs: 'owner',
  answer: z.strictObject({ deleted: z.int() }),
  handle: async ({ deps, account, by }) => {
    await deps.bodies.written();
    return { deleted: await deleteBodies(by, account) };
  },
});

const getBodies = accountCall({
  method: 'get',
  path: '/accounts/{account}/requests/{request}/body',
  id: 'getBodies',
  summary: 'What was recorded of a request; its reading is in the audit log',
  needs: 'owner',
  query: z.object({
    created: z
      .string()
      .regex(/^\d{1,12}$/, 'must be Unix seconds')
      .transform(Number)
      .optional(),
  }),
  answer: requestBodiesRecord,
  handle: async ({ deps, account, role, by, params: { request = '' }, query: { created } }) => {
    if (role === 'operator')
      throw new GatewayError('permission_denied', 'Only owners of the account read what its requests say.');
    return requestBodiesObject(request, await readBodies(deps, by, { account, requestId: request, created }));
  },
});

export const bodyCalls = [getRecording, changeRecording, deleteAll, getBodies];

async function recordingOf(
  { configuration: { requestBodies }, database }: Pick<ApiDependencies, 'configuration' | 'database'>,
  account: AccountId,
): Promise<z.input<typeof recordingRecord>> {
  const { isOn, retentionDays, redactedFields } = await findBodyRecording(database, account);
  return {
    ...{ record_bodies: isOn, retention_days: retentionDays, redacted_fields: [...redactedFields] },
    ...{ allowed: requestBodies.allowed, max_bytes: requestBodies.bytesMax },
  };
}
