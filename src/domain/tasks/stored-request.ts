/** A task's request as its row keeps it, read back: what was parsed at admission, parsed again from the database. */
import * as z from 'zod';
import { imageQualities } from '../catalogue.ts';
import { imageBackgrounds, imageFormats } from './image-outputs.ts';
import type { AvatarTalkRequest } from '../requests/avatar-talk.ts';
import { type ImageRequest, imageForms } from '../requests/image-request.ts';
import { contentRoles, videoForms, type VideoRequest } from '../requests/video-request.ts';
import type { StoredFile, TaskKind } from './task-states.ts';
import { isUploadName, type UploadName } from './uploads.ts';

export type StoredRequest =
  | { kind: 'image'; request: ImageRequest }
  | { kind: 'video'; request: VideoRequest }
  | { kind: 'avatar_talk'; request: AvatarTalkRequest };

/** Reads a row's request; refuses with a ZodError what admission could not have written. */
export function readStoredRequest(kind: TaskKind, stored: unknown): StoredRequest {
  switch (kind) {
    case 'image':
      return { kind, request: withoutUndefined(imageSchema.parse(stored)) };
    case 'video':
      return { kind, request: withoutUndefined(videoSchema.parse(stored)) };
    case 'avatar_talk':
      return { kind, request: withoutUndefined(avatarTalkSchema.parse(stored)) };
    default:
      return kind satisfies never;
  }
}

export const storedFileSchema = z
  .object({
    blobKey: z.string(),
    mediaType: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    durationMs: z.int().optional(),
    width: z.int().optional(),
    height: z.int().optional(),
  })
  .transform((file): StoredFile => withoutUndefined(file));

const uploadName = z.custom<UploadName>((name) => typeof name === 'string' && isUploadName(name));
export const uploadsSchema = z.record(uploadName, storedFileSchema);
export type Uploads = Readonly<Partial<Record<UploadName, StoredFile>>>;

/** The uploads with their names, in the order in which they are stored. */
export const uploadsIn = (uploads: Uploads): [UploadName, StoredFile][] =>
  Object.entries(uploads).flatMap(([name, file]): [UploadName, StoredFile][] =>
    file && isUploadName(name) ? [[name, file]] : [],
  );

const webhookUrl = z.string().optional();

const imageSchema = z.object({
  model: z.string(),
  prompt: z.string(),
  quality: z.enum(imageQualities),
  n: z.int(),
  imageUrls: z.array(z.string()),
  pixels: z.discriminatedUnion('mode', [
    z.object({ mode: z.literal('sized'), width: z.int(), height: z.int() }),
    z.object({ mode: z.literal('upscale'), longerSide: z.union([z.literal(4096), z.literal(8192)]) }),
  ]),
  webhookUrl,
  responseFormat: z.literal('b64_json').optional(),
  outputFormat: z.enum(imageFormats).optional(),
  background: z.enum(imageBackgrounds).optional(),
  form: z.enum(imageForms).optional(),
  mask: z.string().optional(),
});

const role = z.enum(contentRoles).optional();
const contentItem = z.union([
  z.object({ type: z.literal('text'), text: z.string(), role }).transform((item) => withoutUndefined(item)),
  z
    .object({ type: z.enum(['image_url', 'video_url', 'audio_url']), url: z.string(), role })
    .transform((item) => withoutUndefined(item)),
]);

const videoSchema = z.object({
  model: z.string(),
  content: z.array(contentItem),
  form: z.enum(videoForms),
  generateAudio: z.boolean(),
  ratio: z.string(),
  size: z.object({ width: z.int(), height: z.int() }).optional(),
  durationSeconds: z.number(),
  watermark: z.boolean(),
  modelVersion: z.int().optional(),
  seed: z.int().optional(),
  webhookUrl,
});

const avatarTalkSchema = z.object({ model: z.string(), templateName: z.string(), webhookUrl });

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Zod writes an absent field's type as `x?: T | undefined`; here absent means absent. */
function withoutUndefined<T extends object>(value: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as WithoutUndefined<T>;
}
