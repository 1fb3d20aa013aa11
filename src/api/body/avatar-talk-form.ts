/** The form of an avatar-talk creation: audio, video, and a few short fields. */
import type { IncomingMessage } from 'node:http';
import type { StoredBlob } from '../../blobs/blob-store.ts';
import { readUploadForm, type UploadForm, type UploadOptions } from './upload-form.ts';

const fields = ['model', 'template_name', 'webhook_url'] as const;
type FileName = 'audio' | 'video';

export interface AvatarTalkForm {
  /** As they were sent; their own rules are the request schema's. */
  fields: UploadForm<FileName, (typeof fields)[number]>['fields'];
  audio: StoredBlob;
  video: StoredBlob;
}

export interface AvatarTalkFormOptions extends UploadOptions {
  limits: { audioBytes: number; videoBytes: number };
}

/** Reads the form as `readUploadForm` does. */
export async function readAvatarTalkForm(
  request: IncomingMessage,
  { limits: { audioBytes, videoBytes }, ...options }: AvatarTalkFormOptions,
): Promise<AvatarTalkForm> {
  const files = [{ name: 'audio', bytesMax: audioBytes } as const, { name: 'video', bytesMax: videoBytes } as const];
  const form = await readUploadForm(request, { files, fields }, options);
  const only = (name: FileName): StoredBlob => {
    const [blob] = form.files.get(name) ?? [];
    if (blob === undefined) throw new TypeError(`a form without ${name} was taken`);
    return blob;
  };
  return { fields: form.fields, audio: only('audio'), video: only('video') };
}
