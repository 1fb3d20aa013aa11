/** What uploaded audio is, by its bytes, and how long: by its headers where they say it, else by its frames. */
import type { BlobStore, StoredBlob } from '../blobs/blob-store.ts';
import { blobReader } from '../blobs/blob-reader.ts';
import { GatewayError } from '../domain/errors.ts';
import { InvalidMedia, probeMedia } from '../media/probe.ts';
import { AudioLength } from '../media/audio-length/audio-length.ts';

export interface MeasuredAudio {
  /** Above 0. */
  seconds: number;
  mediaType: string;
  /** Of a file's name. */
  extension: string;
}

const allowed = 'FLAC, MP3, MP4, M4A, Ogg, WAV or WebM';
const extensions: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'video/mp4': 'mp4',
  'video/quicktime': 'mp4',
};
/** Of formats whose headers don't say how long they are. */
const passing: Readonly<Record<string, Omit<MeasuredAudio, 'seconds'>>> = {
  fLaC: { mediaType: 'audio/flac', extension: 'flac' },
  OggS: { mediaType: 'audio/ogg', extension: 'ogg' },
  '\x1a\x45\xdf\xa3': { mediaType: 'audio/webm', extension: 'webm' },
};

/** Measures an upload. Refuses with `invalid_parameter`, param `file`, what is no audio or lasts no time. */
export async function measureUpload(blobs: BlobStore, blob: StoredBlob): Promise<MeasuredAudio> {
  const head = await blobReader(blobs, blob).read(0, Math.min(4, blob.bytes));
  const known = passing[Buffer.from(head).toString('latin1')];
  const measured = known ? { ...known, seconds: await passedSeconds(blobs, blob) } : await probed(blobs, blob);
  if (measured.seconds === 0) throw refused('its duration is zero');
  if (measured.seconds > blob.bytes) throw refused('it says that it is longer than its bytes can hold');
  return measured;
}

async function passedSeconds(blobs: BlobStore, { key }: StoredBlob): Promise<number> {
  const length = new AudioLength('flac');
  const bytes: AsyncIterable<Buffer> = await blobs.read(key);
  for await (const piece of bytes) length.push(piece);
  return length.wholeSeconds;
}

async function probed(blobs: BlobStore, blob: StoredBlob): Promise<MeasuredAudio> {
  try {
    const { mediaType, durationMs = 0, hasAudio } = await probeMedia(blobReader(blobs, blob));
    const extension = extensions[mediaType];
    if (!hasAudio || extension === undefined) throw refused(`this is ${mediaType} without audio`);
    return { seconds: durationMs / 1000, mediaType, extension };
  } catch (error) {
    if (error instanceof InvalidMedia) throw refused(error.message);
    throw error;
  }
}

const refused = (found: string): GatewayError =>
  new GatewayError('invalid_parameter', `file must be ${allowed}: ${found}.`, { param: 'file' });
