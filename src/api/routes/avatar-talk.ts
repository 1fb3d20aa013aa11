/** Avatar-talk: `POST /svctalk/generate`, `GET` and `DELETE /svctalk/generate/{id}`. */
import type Router from '@koa/router';
import { GatewayError } from '../../domain/errors.ts';
import { parseAvatarTalkFields } from '../../domain/requests/avatar-talk.ts';
import { requireKind } from '../../domain/requests/parse.ts';
import { newBlobKey } from '../../postgres/new-ids.ts';
import type { Task } from '../../tasks/rows/task-rows.ts';
import { readAvatarTalkForm } from '../body/upload-form.ts';
import { firstOfKind, modelFor } from '../model-catalogue.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { acquireOnce } from '../concurrency-limits.ts';
import { sendOnce } from '../../tasks/fetch-once/send-once.ts';
import { refuseLate } from '../server/draining.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { avatarTalkRecord } from '../presenters/tasks.ts';
import { checkWebhookUrl } from '../../tasks/create/caller-addresses.ts';
import { cancelOwnTask } from '../../tasks/wait/cancel-own-task.ts';
import { createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { taskNotFound, taskOf } from '../../tasks/wait/find-task.ts';
import { probeUploads } from '../../tasks/create/uploads.ts';
import { whenCertain } from '../../tasks/wait/wait-for-task.ts';

/** How long a creation waits where it is in doubt whether its task is there. */
const doubtSeconds = 10;

export function avatarTalkRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const path = '/svctalk/generate';
  const { keys, blobs, fetchWindowMs } = now();

  router.post(path, authenticated(keys, 'standard'), async (ctx) => {
    refuseLate(ctx); // before its upload
    await requireRoom(now(), ctx);
    const { limits } = now().configuration;
    const { uploads: gate } = now().gates;
    const leave = acquireOnce(gate);
    const form = await readAvatarTalkForm(ctx.req, {
      store: blobs,
      newKey: () => newBlobKey('uploads'),
      limits,
    }).catch((error: unknown) => {
      leave();
      throw error;
    });
    // An upload may take an hour: model and price are those of its end.
    const deps = now();
    const { configuration } = deps;
    const written = [form.audio.key, form.video.key];
    let kept = false;
    try {
      const id = form.fields['model'] ?? firstOfKind(configuration, 'avatar-talk');
      if (id === undefined)
        throw new GatewayError('model_not_found', 'This gateway has no published avatar-talk model.', {
          param: 'model',
        });
      const model = modelFor(keyOf(ctx), configuration, id);
      requireKind(model, ['avatar-talk']);
      const request = parseAvatarTalkFields(form.fields, model);
      await checkWebhookUrl(deps, request);
      const uploads = await probeUploads(blobs, form, limits);
      leave();
      const wanted = {
        model,
        stored: { kind: 'avatar_talk' as const, request },
        facts: { kind: 'avatar_talk' as const, audioDurationMs: uploads.audio.durationMs },
        uploads,
        fingerprint: { fields: form.fields, audio: form.audio.sha256, video: form.video.sha256 },
      };
      const created = await createTask(deps, ctx, wanted, doubtSeconds);
      const { taskId, isNew } = await whenCertain(deps, ctx, created, doubtSeconds);
      kept = isNew; // in doubt, too: if there is no task, retention takes them
      ctx.body = { id: taskId, status: 'processing' };
    } finally {
      leave();
      // What was refused, and what an Idempotency-Key had stored before, is not kept a second time.
      if (!kept) await Promise.all(written.map((key) => blobs.remove(key)));
    }
  });

  router.get(`${path}/:id`, authenticated(keys, 'read'), async (ctx) => {
    const deps = now();
    const task = await taskOf(deps, ctx, ctx.params['id'], 'avatar_talk');
    if (isPast(task, fetchWindowMs)) throw taskNotFound();
    if (task.state !== 'succeeded') {
      ctx.body = avatarTalkRecord(task);
      return;
    }
    await sendOnce(deps, ctx, task);
  });

  router.delete(`${path}/:id`, authenticated(keys, 'standard'), async (ctx) => {
    const deps = now();
    const task = await taskOf(deps, ctx, ctx.params['id'], 'avatar_talk');
    if (isPast(task, fetchWindowMs)) throw taskNotFound();
    ctx.body = avatarTalkRecord(await cancelOwnTask(deps, ctx, task));
  });
}

const isPast = ({ endedMs }: Task, windowMs: number): boolean => endedMs !== null && endedMs > windowMs;
