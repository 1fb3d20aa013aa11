/** Stored results by signed link. The signature is the permission. */
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { isFinal, type StoredFile } from '../../domain/tasks/task-states.ts';
import { type FileLink, verifyLink } from '../../tasks/provider-calls/signed-links.ts';
import { findTask } from '../../tasks/rows/task-rows.ts';
import { retentionText } from '../../tasks/wait/find-task.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { pathParameter, queryParameter, signatureParameters } from '../openapi/parameters.ts';
import { operation } from '../public-operation.ts';
import { answerFile, type Download, fileResponses } from '../send-file.ts';

const media = { 'image/*': {}, 'video/*': {}, 'audio/*': {} };

export const getFile = operation({
  method: 'get',
  path: '/files/{task}/{file}',
  id: 'getFile',
  tag: 'Service',
  summary: 'A stored result, by its signed link',
  description:
    'Links are in the records of tasks; the signature is the permission. One `Range` of bytes may be asked for.',
  parameters: [
    pathParameter('task', 'Task id.', exampleIds.image),
    pathParameter('file', 'Number of the result.', '0'),
    queryParameter('e', 'Until when the link is good, in Unix seconds.', '1767312000'),
    ...signatureParameters,
  ],
  answer: z.void(),
  responses: fileResponses(media),
  errors: ['route_not_found'],
  handle: async ({ ctx, deps, params }) => {
    const path = { taskId: params['task'] ?? '', file: params['file'] ?? '' };
    await answerFile(deps, ctx, resultDownload(deps, await linkedFile(deps, ctx, path)));
  },
});

/** The download of a task's file. */
export function resultDownload(deps: ApiDependencies, file: LinkedFile): Download {
  const { blobKey, bytes, sha256, mediaType, link } = file;
  return {
    ...{ blobKey, bytes, etag: sha256.slice(0, 32) },
    headers: {
      'Content-Type': mediaType,
      'Cache-Control': 'private, max-age=3600, immutable',
      'Content-Disposition': `inline; filename="${link.taskId}-${link.file}.${extensionOf(file)}"`,
    },
    secondsLeft: link.expiresAtSeconds - Math.floor(Date.now() / 1000),
    // Its row says so by now, or, of an upload, will in the next moment.
    whenGone: async () => {
      const { isUpload, isFinal } = await storedFile(deps, link);
      return isUpload && isFinal ? fileDeleted() : undefined;
    },
  };
}

type LinkedFile = StoredFile & { link: FileLink };

async function linkedFile(
  deps: ApiDependencies,
  ctx: ApiContext,
  path: { taskId: string; file: string },
): Promise<LinkedFile> {
  const verdict = verifyLink(path, ctx.query, deps.secrets, Date.now() / 1000);
  if (verdict.verdict === 'forged') throw new GatewayError('route_not_found', 'File not found.');
  if (verdict.verdict === 'expired')
    throw new GatewayError('route_not_found', 'This link has expired. GET the task for a new one.');
  const { link } = verdict;
  return { ...(await storedFile(deps, link)), link };
}

async function storedFile({ database, configuration }: ApiDependencies, { taskId, file }: FileLink) {
  const task = await findTask(database, taskId);
  if (task?.removedAt && task.kind !== 'avatar_talk')
    throw new GatewayError('route_not_found', `This file was deleted: ${retentionText(configuration)}.`);
  const stored = typeof file === 'number' ? task?.files?.[file] : task?.uploads?.[file];
  if (!task || !stored || task.removedAt) throw fileDeleted();
  return { ...stored, isUpload: typeof file !== 'number', isFinal: isFinal(task.state) };
}

const fileDeleted = () => new GatewayError('route_not_found', 'This file was deleted.');

const extensionOf = ({ mediaType }: StoredFile): string => mediaType.split('/')[1]?.replace('jpeg', 'jpg') ?? 'bin';
