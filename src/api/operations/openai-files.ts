/** Files that an account keeps, in the form of the OpenAI API. */
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { oneOf } from '../../domain/requests/fields.ts';
import { fileForm, fileFormFields, filePurposes, parseFileRequest } from '../../domain/requests/file-request.ts';
import { type AccountFile, findFile, listFiles, markDeleted } from '../../files/file-rows.ts';
import { keepUpload, requireRoomForFile } from '../../files/keep-upload.ts';
import { removeDeletedFile } from '../../files/old-files.ts';
import { newBlobKey } from '../../postgres/new-ids.ts';
import { readUploadForm } from '../body/upload-form.ts';
import { acquireOnce } from '../concurrency-limits.ts';
import { keyOf } from '../context.ts';
import { limitUpTo } from '../lists/list-query.ts';
import type { Ask } from '../operation.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { exampleCreated, one } from '../openapi/examples.ts';
import { fileSchema, formContent } from '../openapi/form-body.ts';
import { requestHeader } from '../openapi/headers.ts';
import { pathParameter } from '../openapi/parameters.ts';
import { queryParameters } from '../openapi/queries.ts';
import { answer } from '../openapi/schemas.ts';
import { openAiList } from '../presenters/openai-list.ts';
import { accountFileDownload, fileObject, fileObjectOf } from '../presenters/openai-files.ts';
import { operation } from '../public-operation.ts';
import { answerFile, fileResponses } from '../send-file.ts';
import { refuseLate } from '../server/draining.ts';

const MiB = 1024 * 1024;
/** As with the OpenAI API. */
const pageFilesMax = 10_000;

const fileIdForm = '^file-[0-9a-f]{32}$';
const parameters = [pathParameter('id', "The file's id.", exampleIds.file, fileIdForm)];
const ofFile = { tag: 'Files', path: '/files/{id}', parameters } as const;
const fileExample = {
  ...{ id: exampleIds.file, object: 'file', bytes: 132 },
  ...{ created_at: exampleCreated, expires_at: exampleCreated + 30 * 86_400 },
  ...{ filename: 'lines.jsonl', purpose: 'batch', status: 'processed', status_details: null },
};

const words = {
  purpose: '`batch` is the input of a batch, whose name ends in `.jsonl`; the others are kept as they are.',
  'expires_after[anchor]': 'From when on the time counts.',
  'expires_after[seconds]':
    'How long it is kept. Without it, files of `batch` are kept for 30 days, others until they are deleted.',
};

export const createFile = operation({
  method: 'post',
  path: '/files',
  id: 'createFile',
  tag: 'Files',
  level: 'standard',
  summary: 'Upload a file',
  description: 'A form. An account may keep 10,000 files, of 100 GiB in all.',
  parameters: [requestHeader('Expect')],
  before: async ({ deps, ctx }) => {
    refuseLate(ctx);
    await requireRoomForFile(deps.database, keyOf(ctx).accountId);
  },
  body: {
    content: ({ limits }) => ({
      'multipart/form-data': formContent({
        files: { file: fileSchema(`The file, of at most ${limits.fileBytes / MiB} MiB.`) },
        required: ['file'],
        fields: fileForm,
        words,
        example: { purpose: 'batch', file: 'lines.jsonl' },
      }),
    }),
  },
  answer: fileObject,
  responses: {
    200: {
      description: 'The file.',
      examples: () => one('The file', fileExample),
      next: ['retrieveFile', 'downloadFile', 'deleteFile'],
    },
  },
  handle: async ({ ctx, now }) => {
    const { blobs, concurrencyLimits, configuration } = now();
    const release = acquireOnce(concurrencyLimits.uploads);
    try {
      const rules = {
        files: [{ name: 'file', bytesMax: configuration.limits.fileBytes } as const],
        fields: fileFormFields,
      };
      const form = await readUploadForm(ctx.req, rules, {
        store: blobs,
        newKey: () => newBlobKey('files'),
        bodies: ctx.state.bodies,
      });
      const [blob] = form.files.get('file') ?? [];
      const [filename = ''] = form.fileNames.get('file') ?? [];
      if (blob === undefined) throw new TypeError('a form without a file was taken');
      const { id: keyId, accountId } = keyOf(ctx);
      const request = () => parseFileRequest(form.fields, filename);
      return fileObjectOf(await keepUpload(now(), { accountId, keyId, blob, request }));
    } finally {
      release();
    }
  },
});

const listQuery = z.object({
  purpose: oneOf(filePurposes).optional(),
  limit: limitUpTo(pageFilesMax),
  order: oneOf(['asc', 'desc']).optional(),
  after: z.string().regex(new RegExp(fileIdForm), "must be a file's id").optional(),
});

const listAllFiles = operation({
  method: 'get',
  path: '/files',
  id: 'listFiles',
  tag: 'Files',
  level: 'standard',
  summary: "The account's files",
  query: listQuery,
  parameters: queryParameters(
    listQuery,
    {
      purpose: 'Only files of this purpose.',
      order: 'By creation: `desc`, the default, begins with the newest.',
      after: 'The `last_id` of the previous page, which may have been deleted since.',
    },
    { max: pageFilesMax, default: pageFilesMax },
  ),
  answer: openAiList('FileList', fileObject),
  responses: {
    200: {
      description: 'A page.',
      examples: () =>
        one('A page', {
          ...{ object: 'list', data: [fileExample] },
          ...{ first_id: exampleIds.file, last_id: exampleIds.file, has_more: false },
        }),
    },
  },
  errors: ['invalid_parameter'],
  handle: async ({ ctx, deps, query: { purpose, limit = pageFilesMax, order = 'desc', after } }) => {
    const asked = { purpose, limit: limit + 1, order, after };
    const found = await listFiles(deps.database, keyOf(ctx).accountId, asked);
    const data = found.slice(0, limit).map(fileObjectOf);
    return {
      ...{ object: 'list' as const, data, has_more: found.length > limit },
      ...{ first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null },
    };
  },
});

const retrieveFile = operation({
  ...ofFile,
  method: 'get',
  id: 'retrieveFile',
  level: 'standard',
  summary: 'Query a file',
  answer: fileObject,
  responses: { 200: { description: 'The file.', examples: () => one('The file', fileExample) } },
  errors: ['file_not_found'],
  handle: async (ask) => fileObjectOf(await fileOf(ask)),
});

const downloadFile = operation({
  ...ofFile,
  method: 'get',
  path: '/files/{id}/content',
  id: 'downloadFile',
  level: 'standard',
  summary: 'Download a file',
  description: 'Its bytes. One `Range` of bytes may be asked for.',
  answer: z.void(),
  responses: fileResponses({
    'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '{"custom_id":"1"}\n' },
  }),
  errors: ['file_not_found'],
  handle: async (ask) => {
    const download = accountFileDownload(await fileOf(ask), () => fileOf(ask).then(noError, asError));
    await answerFile(ask.deps, ask.ctx, download);
  },
});

const deleteFile = operation({
  ...ofFile,
  method: 'delete',
  id: 'deleteFile',
  level: 'standard',
  summary: 'Delete a file',
  description: 'A batch that reads it goes on.',
  answer: answer(
    'DeletedFile',
    z.strictObject({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
  ),
  responses: {
    200: {
      description: 'Deleted.',
      examples: () => one('Deleted', { id: exampleIds.file, object: 'file', deleted: true }),
    },
  },
  errors: ['file_not_found'],
  handle: async ({ ctx, deps, params: { id = '' } }) => {
    if (!(await markDeleted(deps.database, keyOf(ctx).accountId, id))) throw fileNotFound();
    await removeDeletedFile(deps, id).catch((error: unknown) => {
      deps.log.warn({ err: error, file: id }, 'a deleted file could not be removed yet; the scan removes it');
    });
    return { id, object: 'file' as const, deleted: true as const };
  },
});

export const openAiFileOperations = [createFile, listAllFiles, retrieveFile, downloadFile, deleteFile];

/** The file of the path. */
async function fileOf({ deps, ctx, params: { id = '' } }: Ask<unknown, unknown>): Promise<AccountFile> {
  const found = await findFile(deps.database, keyOf(ctx).accountId, id);
  if (!found) throw fileNotFound();
  return found;
}

const fileNotFound = () => new GatewayError('file_not_found', 'File not found.');
const noError = () => undefined;
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
