/** A call that brings audio, from its form: measured, and ready to be sent on as a form. */
import { noteAsked } from '../api/body/note-asked.ts';
import { invalid, modelIdOf } from '../domain/requests/parse.ts';
import { type TranscriptFormat, transcriptFormats } from '../domain/requests/transcription-request.ts';
import type { UploadForm } from '../api/body/upload-form.ts';
import type { StoredBlob } from '../blobs/blob-store.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { fingerprintOf, idempotencyKeyOf } from '../api/idempotency-key.ts';
import { type BoundedCall, callOf, modelOfCall, namesOfCall } from './call.ts';
import { measureUpload } from './measured-upload.ts';

/** Checks the call that a form asks for. Refuses with a code of the error table; nothing is held yet. */
export async function readTranscription(
  deps: ApiDependencies,
  ctx: ApiContext,
  endpoint: 'audio/transcriptions' | 'audio/translations',
  { sent: fields, files }: UploadForm<'file', never>,
): Promise<BoundedCall> {
  const file = onlyFile(files.get('file'));
  const named = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  noteAsked(ctx, named);
  modelIdOf(named); // before the file is looked at
  // What is read here and what the upstream reads has to be the same.
  const doubled = fields.find(({ name, value }) => namesOfCall[endpoint].has(name) && named[name] !== value);
  if (doubled) throw invalid(doubled.name, 'must be sent once');
  const { blobs } = deps;
  const { seconds, mediaType, extension } = await measureUpload(blobs, file);
  const model = modelOfCall(deps, keyOf(ctx), endpoint, named);
  ctx.state.model = model.id;
  const call = callOf(deps, model, endpoint, { bytes: noBytes, value: { ...named, audio_seconds: seconds } });
  if (idempotencyKeyOf(ctx) !== undefined)
    call.bodyHash = fingerprintOf({ kind: endpoint, fingerprint: { fields, file: file.sha256 } });
  const others = fields.filter(({ name }) => name !== 'model');
  call.upload = {
    format: formatOf(named['response_format']),
    formFor: (model) => ({
      fields: [{ name: 'model', value: model }, ...others],
      // Upstreams go by the ending of the name, callers may send any.
      file: { name: `audio.${extension}`, mediaType, bytes: file.bytes, open: () => blobs.read(file.key) },
    }),
  };
  return call;
}

function onlyFile([file]: readonly StoredBlob[] = []): StoredBlob {
  if (file === undefined) throw new TypeError('a form without its file was taken');
  return file;
}

const noBytes = Buffer.alloc(0);

const formatOf = (asked: string | undefined): TranscriptFormat =>
  transcriptFormats.find((format) => format === asked) ?? 'json';
