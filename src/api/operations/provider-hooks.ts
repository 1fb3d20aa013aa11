/**
 * Where a provider calls when a job ends. The signature is the permission. All that is taken from a call is the job's id,
 * if its create was never answered; how the job is, the provider is asked itself.
 */
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { isKeepable } from '../../domain/text.ts';
import { closeIntent } from '../../tasks/provider-calls/intents.ts';
import { isHookOfOurs } from '../../tasks/provider-calls/provider-addresses.ts';
import { findTask } from '../../tasks/rows/task-rows.ts';
import { requestJson } from '../body/request-json.ts';
import { idsOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { pathParameter, signatureParameters } from '../openapi/parameters.ts';
import { operation } from '../public-operation.ts';

/** Some calls carry the whole result; read only under a good signature. */
const bodyBytesMax = 8 * 1024 * 1024;
const jobIdCharactersMax = 1_000;

export const callHook = operation({
  method: 'post',
  path: '/hooks/{task}/{route}',
  id: 'callHook',
  tag: 'Service',
  summary: 'Callback of a provider when a job ends',
  description: 'For providers, which get the address with the job; the signature is the permission.',
  parameters: [
    pathParameter('task', 'Task id.', exampleIds.video),
    pathParameter('route', "Number of the model's route.", '0'),
    ...signatureParameters,
  ],
  body: {
    content: () => ({ 'application/json': { schema: {}, example: { id: 'job-1', status: 'succeeded' } } }),
  },
  answer: z.void(),
  responses: { 204: { description: 'Accepted.' } },
  errors: ['route_not_found'],
  handle: async ({ ctx, deps, params }) => {
    const path = { taskId: params['task'] ?? '', route: params['route'] ?? '' };
    if (!isHookOfOurs(path, ctx.query, deps.secrets)) throw new GatewayError('route_not_found', 'No such hook.');
    ctx.state.taskId = path.taskId;
    const { value } = await requestJson(deps, ctx, { bytesMax: bodyBytesMax });
    const noted = await noteJob(deps, path.taskId, Number(path.route), value);
    deps.log.info({ ...idsOf(ctx), taskId: path.taskId, routeIndex: path.route, ...noted }, 'a provider called');
    // Also when nothing was needed, or the provider would call again and again.
    ctx.status = 204;
  },
});

interface Noted {
  /** `job noted`: its id was not known yet. `too late`: the same, for a task that had ended. */
  done: 'job noted' | 'too late' | 'not needed' | 'no job named';
  jobId?: string;
}

/**
 * Closes the intent as accepted unless it was closed with knowledge before. An open one too, although the attempt that
 * sent may still be waiting for its answer: it may as well have died, and a provider that was thanked doesn't call
 * again. An attempt that lives finds the intent closed, and goes on from what stands there (`activities/submit.ts`);
 * nothing is sent twice, since only who opens an intent may send.
 */
async function noteJob(deps: ApiDependencies, taskId: string, index: number, body: unknown): Promise<Noted> {
  const task = await findTask(deps.database, taskId);
  const route = task?.terms.routes[index];
  const jobId = route && deps.providers.get(route.provider)?.jobIdOf?.(body);
  if (!task || jobId === undefined || !isJobId(jobId)) return { done: 'no job named' };
  const { believed, taskIsFinal } = await closeIntent(deps.database, task.id, index, { outcome: 'accepted', jobId });
  if (!believed) return { done: 'not needed', jobId };
  return { done: taskIsFinal ? 'too late' : 'job noted', jobId };
}

const isJobId = (text: string): boolean => text !== '' && text.length <= jobIdCharactersMax && isKeepable(text);
