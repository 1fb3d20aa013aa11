/** Uploaded media: identified by content, measured on the stored bytes. */
import { GatewayError } from '../../domain/errors.ts';
import type { StoredFile } from '../../domain/tasks/task-states.ts';
import { InvalidMedia, type MediaFacts, probeMedia } from '../../media/probe.ts';
import { blobReader } from '../../blobs/blob-reader.ts';
import type { BlobStore, StoredBlob } from '../../blobs/blob-store.ts';

type Upload = StoredFile & { durationMs: number };

/** Refuses with `invalid_parameter` and `param` `audio` or `video` what is no WAV or MP3, no MP4, or lasts too long. */
export async function probeUploads(
  blobs: BlobStore,
  { audio, video }: { audio: StoredBlob; video: StoredBlob },
  { audioSeconds }: { audioSeconds: number },
): Promise<{ audio: Upload; video: Upload }> {
  const probedAudio = await probed(blobs, audio, 'audio', ['audio/wav', 'audio/mpeg'], 'a WAV or MP3 file');
  if (probedAudio.durationMs > audioSeconds * 1000) {
    throw new GatewayError(
      'invalid_parameter',
      `audio is ${probedAudio.durationMs / 1000} s long; the maximum is ${audioSeconds} s.`,
      {
        param: 'audio',
      },
    );
  }
  return { audio: probedAudio, video: await probed(blobs, video, 'video', ['video/mp4'], 'an MP4 file') };
}

async function probed(
  blobs: BlobStore,
  blob: StoredBlob,
  param: string,
  allowed: readonly string[],
  what: string,
): Promise<Upload> {
  const refused = (found: string) =>
    new GatewayError('invalid_parameter', `${param} must be ${what}: ${found}.`, { param });
  let facts: MediaFacts;
  try {
    facts = await probeMedia(blobReader(blobs, blob));
  } catch (error) {
    if (error instanceof InvalidMedia) throw refused(error.message);
    throw error;
  }
  const { mediaType, durationMs, width, height } = facts;
  if (!allowed.includes(mediaType)) throw refused(`this is ${mediaType}`);
  if (durationMs === undefined) throw refused('its duration is zero');
  return {
    blobKey: blob.key,
    bytes: blob.bytes,
    sha256: blob.sha256,
    mediaType,
    durationMs,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}
