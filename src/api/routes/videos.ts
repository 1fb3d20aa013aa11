/** Videos: `POST /video/generations`, `GET` and `DELETE /video/generations/{id}`. */
import type Router from '@koa/router';
import { modelIdOf } from '../../domain/requests/parse.ts';
import { videoBody, parseVideoRequest } from '../../domain/requests/video-request.ts';
import { answerLater } from '../server/late-answer.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { modelFor } from '../model-catalogue.ts';
import { type ApiContext, deploymentOf, keyOf, type RequestState } from '../context.ts';
import type { ApiDependencies, DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { answerCreation, videoRecord } from '../presenters/tasks.ts';
import { checkVideoAddresses, checkWebhookUrl } from '../../tasks/create/caller-addresses.ts';
import { cancelOwnTask } from '../../tasks/wait/cancel-own-task.ts';
import { type CreatedTask, createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { taskOf, withResult } from '../../tasks/wait/find-task.ts';
import { waitForTask, waitSeconds } from '../../tasks/wait/wait-for-task.ts';

const names = namesOf(videoBody);

export function videoRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const { keys } = now();
  const path = '/video/generations';

  router.post(path, authenticated(keys, 'standard'), async (ctx) => {
    const deps = now();
    const seconds = waitSeconds(ctx, deploymentOf(ctx).videoWaitSeconds);
    const created = await createdBy(deps, ctx, seconds);
    answerLater(ctx, waitForTask(deps, ctx, created, seconds), (task) =>
      answerCreation(ctx, task, videoRecord(deps, task)),
    );
  });

  router.get(`${path}/:id`, authenticated(keys, 'read'), async (ctx) => {
    const deps = now();
    const task = await taskOf(deps, ctx, ctx.params['id'], 'video');
    ctx.body = videoRecord(deps, withResult(task, deps.configuration));
  });

  router.delete(`${path}/:id`, authenticated(keys, 'standard'), async (ctx) => {
    const deps = now();
    const task = await taskOf(deps, ctx, ctx.params['id'], 'video');
    ctx.body = videoRecord(deps, await cancelOwnTask(deps, ctx, task));
  });
}

/** A function of its own, so that the request's body is let go of while the caller waits for the end. */
async function createdBy(deps: ApiDependencies, ctx: ApiContext, seconds: number): Promise<CreatedTask> {
  await requireRoom(deps, ctx);
  const { value: body } = await requestJson(deps, ctx, { names });
  const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  const request = parseVideoRequest(body, model);
  await checkVideoAddresses(deps, request);
  await checkWebhookUrl(deps, request);
  const stored = { kind: 'video', request } as const;
  return await createTask(deps, ctx, { model, stored, facts: stored, fingerprint: body }, seconds);
}
