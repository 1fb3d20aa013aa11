/** What the playground's forms are made of. Its runs are the public operations, see `../playground.ts`. */
import * as z from 'zod';
import { type Model, modelKinds } from '../../../domain/catalogue.ts';
import { maintenanceAt } from '../../../domain/maintenance.ts';
import { promptCharactersMax, videoDurationsSeconds, videoRatios } from '../../../domain/limits.ts';
import { imageResolutions } from '../../../domain/tasks/pixels.ts';
import { accountCall } from '../console-call.ts';

const getPlayground = accountCall({
  method: 'get',
  path: '/accounts/{account}/playground',
  id: 'getPlayground',
  summary: 'The models that can be tried, what each takes, and where programs send the same',
  needs: 'member',
  answer: z.strictObject({
    object: z.literal('playground'),
    base_url: z.string().describe('The public root of the first deployment.'),
    models: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(modelKinds),
        capabilities: z.array(z.string()),
        maintenance: z.boolean(),
        prompt_characters: z.int(),
        durations: z.array(z.int()).describe('Of a video, in seconds; the first is the default.'),
        ratios: z.array(z.string()).describe('Of a video; the first is the default.'),
        resolutions: z.array(z.string()).describe('Of an image.'),
      }),
    ),
    uploads: z.strictObject({ audio_bytes: z.int(), video_bytes: z.int(), audio_seconds: z.number() }),
  }),
  handle: ({ deps: { configuration, publicUrl } }) => {
    const { audioBytes, videoBytes, audioSeconds } = configuration.limits;
    return Promise.resolve({
      object: 'playground' as const,
      base_url: `${publicUrl()}${configuration.deployments[0]?.root ?? ''}`,
      models: [...configuration.models.values()].filter(({ published }) => published).map(formFacts),
      uploads: { audio_bytes: audioBytes, video_bytes: videoBytes, audio_seconds: audioSeconds },
    });
  },
});

export const playgroundCalls = [getPlayground];

const formFacts = ({ id, kind, capabilities, maintenance, limits }: Model) => ({
  id,
  kind,
  capabilities: [...capabilities],
  maintenance: maintenanceAt(maintenance, new Date()) !== false,
  prompt_characters: limits.promptCharacters ?? promptCharactersMax,
  durations: [...(limits.durations ?? videoDurationsSeconds)],
  ratios: [...(limits.ratios ?? videoRatios)],
  resolutions: [...(limits.resolutions ?? imageResolutions)],
});
