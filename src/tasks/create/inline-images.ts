/**
 * Image tasks answered with the files themselves (`data[].b64_json`). Ten images may have some hundred MB, so they are read
 * from the blob store as the answer is sent; its length is known before, from the rows.
 */
import { Readable } from 'node:stream';
import type { ShownTask } from '../rows/task-list.ts';
import type { ApiContext } from '../../api/context.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { enterDownload } from '../../api/download-pace.ts';
import { answerCreation, imageRecord } from '../../api/presenters/tasks.ts';

/** Shows a succeeded task with its files inside. Refuses with `overloaded`, and with what the blob store says. */
export async function showInline(deps: ApiDependencies, ctx: ApiContext, task: ShownTask): Promise<void> {
  const files = task.removedAt ? [] : (task.files ?? []);
  const empty = '"b64_json":""';
  const [head = '', ...between] = JSON.stringify({
    ...imageRecord(deps, task),
    data: files.map(() => ({ b64_json: '' })),
  }).split(empty);
  // Opened before anything is answered: a file that can't be read is an error then, not half an answer.
  const [first] = files;
  if (first && ctx.method !== 'HEAD') enterDownload(deps, ctx);
  const opened = first && ctx.method !== 'HEAD' ? await deps.blobs.read(first.blobKey) : undefined;
  // What was never begun to be read isn't closed by itself.
  if (ctx.res.closed) opened?.destroy();
  else ctx.res.once('close', () => opened?.destroy());
  const read = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(head);
    for (const [at, { blobKey }] of files.entries()) {
      yield Buffer.from('"b64_json":"');
      yield* base64Of(at === 0 && opened ? opened : await deps.blobs.read(blobKey));
      yield Buffer.from(`"${between[at] ?? ''}`);
    }
  };
  const text = [head, ...between].join(empty);
  ctx.status = 200;
  ctx.body = Readable.from(read(), { objectMode: false });
  ctx.type = 'application/json; charset=utf-8';
  ctx.length = files.reduce((sum, { bytes }) => sum + base64Length(bytes), Buffer.byteLength(text));
}

/**
 * Answers the creation of such a task. Once it is made, no failure to read its files is an error to be tried again, which
 * would buy another: the caller is sent to GET as if the task still ran.
 */
export async function answerInline(deps: ApiDependencies, ctx: ApiContext, task: ShownTask): Promise<void> {
  if (task.state !== 'succeeded') {
    answerCreation(ctx, task, imageRecord(deps, task));
    return;
  }
  try {
    await showInline(deps, ctx, task);
  } catch (error) {
    deps.log.warn({ err: error, task: task.id }, 'images could not be read for their answer; GET gives them');
    const running: ShownTask = { ...task, state: 'running' };
    answerCreation(ctx, running, imageRecord(deps, running));
  }
}

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

async function* base64Of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of source) {
    const bytes =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(Buffer.from(rest).toString('base64'), 'latin1');
}
