/** Images: `POST /images/generations`, `GET` and `DELETE /images/generations/{id}`. */
import type Router from '@koa/router';
import { modelIdOf } from '../../domain/requests/parse.ts';
import { imageBody, parseImageRequest } from '../../domain/requests/image-request.ts';
import { answerLater } from '../server/late-answer.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { modelFor } from '../model-catalogue.ts';
import { checkWebhookUrl } from '../../tasks/create/caller-addresses.ts';
import type { Task } from '../../tasks/rows/task-rows.ts';
import { type ApiContext, deploymentOf, keyOf, type RequestState } from '../context.ts';
import type { ApiDependencies, DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { answerCreation, imageRecord } from '../presenters/tasks.ts';
import { cancelOwnTask } from '../../tasks/wait/cancel-own-task.ts';
import { type CreatedTask, createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { taskNotFound, taskOf, withResult } from '../../tasks/wait/find-task.ts';
import { deliveringModel } from '../../tasks/create/image-output-routes.ts';
import { answerInline, showInline } from '../../tasks/create/inline-images.ts';
import { waitForTask, waitSeconds } from '../../tasks/wait/wait-for-task.ts';

const names = namesOf(imageBody);

export function imageRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const { keys } = now();
  const path = '/images/generations';

  router.post(path, authenticated(keys, 'standard'), async (ctx) => {
    const deps = now();
    const seconds = waitSeconds(ctx, deploymentOf(ctx).imageWaitSeconds);
    const { created, isInline } = await createdBy(deps, ctx, seconds);
    answerLater(ctx, waitForTask(deps, ctx, created, seconds), (task) =>
      isInline ? answerInline(deps, ctx, task) : answerCreation(ctx, task, imageRecord(deps, task)),
    );
  });

  router.get(`${path}/:id`, authenticated(keys, 'read'), async (ctx) => {
    const deps = now();
    const task = await imageOf(deps, ctx, ctx.params['id']);
    const shown = withResult(task, deps.configuration);
    const isInline = task.request?.kind === 'image' && task.request.request.responseFormat === 'b64_json';
    if (isInline && task.state === 'succeeded') await showInline(deps, ctx, shown);
    else ctx.body = imageRecord(deps, shown);
  });

  router.delete(`${path}/:id`, authenticated(keys, 'standard'), async (ctx) => {
    const deps = now();
    const task = await imageOf(deps, ctx, ctx.params['id']);
    ctx.body = imageRecord(deps, await cancelOwnTask(deps, ctx, task));
  });
}

/** A function of its own, so that the request's body is let go of while the caller waits for the end. */
async function createdBy(
  deps: ApiDependencies,
  ctx: ApiContext,
  seconds: number,
): Promise<{ created: CreatedTask; isInline: boolean }> {
  await requireRoom(deps, ctx);
  const { value: body } = await requestJson(deps, ctx, { names });
  const named = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  const request = parseImageRequest(body, named);
  const model = deliveringModel(deps, named, request);
  for (const [index, url] of request.imageUrls.entries()) await deps.guard.check(url, `image_urls[${index}]`);
  await checkWebhookUrl(deps, request);
  const stored = { kind: 'image', request } as const;
  const created = await createTask(deps, ctx, { model, stored, facts: stored, fingerprint: body }, seconds);
  return { created, isInline: request.responseFormat === 'b64_json' };
}

/** The task of the path; a `model` in the query has to be its own. */
async function imageOf(deps: ApiDependencies, ctx: ApiContext, id: string | undefined): Promise<Task> {
  const task = await taskOf(deps, ctx, id, 'image');
  const { model } = ctx.query;
  if (model !== undefined && model !== task.model) throw taskNotFound();
  return task;
}
