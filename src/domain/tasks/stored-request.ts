/** A task's request as its row keeps it, read back: what was parsed at admission, parsed again from the database. */
import * as z from 'zod';
import { imageQualities } from '../catalogue.ts';
import { imageBackgrounds, imageFormats } from './image-outputs.ts';
import type { AvatarTalkRequest } from '../requests/avatar-talk.ts';
import type { ImageRequest } from '../requests/image-request.ts';
import type { VideoRequest } from '../requests/video-request.ts';
import type { StoredFile, TaskKind } from './task-states.ts';

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

export const uploadsSchema = z.object({ audio: storedFileSchema, video: storedFileSchema });
export type Uploads = z.output<typeof uploadsSchema>;

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
});

const role = z.enum(['reference_image', 'reference_video', 'reference_audio']).optional();
const contentItem = z.union([
  z.object({ type: z.literal('text'), text: z.string(), role }).transform((item) => withoutUndefined(item)),
  z
    .object({ type: z.enum(['image_url', 'video_url', 'audio_url']), url: z.string(), role })
    .transform((item) => withoutUndefined(item)),
]);

const videoSchema = z.object({
  model: z.string(),
  content: z.array(contentItem),
  form: z.enum(['content', 'prompt', 'flat']),
  generateAudio: z.boolean(),
  ratio: z.enum(['16:9', '9:16', '1:1']),
  durationSeconds: z.number(),
  watermark: z.boolean(),
  modelVersion: z.int().optional(),
  webhookUrl,
});

const avatarTalkSchema = z.object({ model: z.string(), templateName: z.string(), webhookUrl });

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Zod writes an absent field's type as `x?: T | undefined`; here absent means absent. */
function withoutUndefined<T extends object>(value: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as WithoutUndefined<T>;
}
