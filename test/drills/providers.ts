/** The providers of a drill, one of each way to make a lost create good, and the configuration that leads to them. */
import type { ProviderFixture } from '../providers/contract/fixture.ts';
import { falFixture } from '../providers/fal/fixture.ts';
import { replicateFixture } from '../providers/replicate/fixture.ts';
import { syncFixture } from '../providers/sync/fixture.ts';
import { modelSettings, providerSettings } from '../support/provider-tasks.ts';
import { generator } from '../support/random.ts';
import { DrillProvider, processHeader } from './provider.ts';

export interface Providers {
  /** Its jobs are polled, and reported by its hook. */
  images: DrillProvider;
  /** Its jobs are reported by its hook only. */
  videos: DrillProvider;
  /** Sent again under the same key. */
  talks: DrillProvider;
}

const timeoutMs = 3_000;
const hastyDeadlineSeconds = 15;

export async function openProviders(media: { image: Buffer; video: Buffer }, seed: number): Promise<Providers> {
  const open = (fixture: ProviderFixture, kind: 'image' | 'video', place: number) =>
    DrillProvider.open({ fixture, file: { kind, bytes: media[kind] }, timeoutMs, random: generator(seed + place) });
  return {
    images: await open(replicateFixture, 'image', 101),
    videos: await open(falFixture, 'video', 102),
    talks: await open(syncFixture, 'video', 103),
  };
}

/** What `tollgate.yaml` says for a process, which the providers know by a header. */
export function configurationOf(
  { images, videos, talks }: Providers,
  process: string,
  deadlineSeconds: number,
): unknown {
  const headers = { [processHeader]: process };
  const common = { timeout_seconds: timeoutMs / 1000, deadline_seconds: deadlineSeconds, headers };
  const modelOf = ({ models }: ProviderFixture, kind: string) => {
    const model = models.find((one) => one.kind === kind);
    if (model === undefined) throw new TypeError(`the fixture has no model for ${kind}`);
    return model;
  };
  const video = modelOf(falFixture, 'video');
  const simulated = { provider: 'simulator', model: 'sim' };
  return {
    providers: {
      simulator: { kind: 'simulator' },
      images: providerSettings(replicateFixture, images.baseUrl, common),
      videos: providerSettings(falFixture, videos.baseUrl, common),
      hasty: providerSettings(falFixture, videos.baseUrl, { ...common, deadline_seconds: hastyDeadlineSeconds }),
      talks: providerSettings(syncFixture, talks.baseUrl, common),
    },
    models: [
      modelSettings('drill-image', modelOf(replicateFixture, 'image'), ['images']),
      modelSettings('drill-video', video, ['videos']),
      modelSettings('drill-hasty', video, ['hasty']),
      modelSettings('drill-talk', modelOf(syncFixture, 'avatar-talk'), ['talks']),
      { id: 'sim-image', kind: 'image', routes: [simulated], price: { per_image: 0.2 } },
      { id: 'sim-chat', kind: 'chat', routes: [simulated], price: { input_per_million: 2, output_per_million: 8 } },
      { id: 'sim-embedding', kind: 'embedding', routes: [simulated], price: { input_per_million: 0.5 } },
      { id: 'sim-moderation', kind: 'moderation', routes: [simulated], price: { per_call: 0.001 } },
      { id: 'sim-rerank', kind: 'rerank', routes: [simulated], price: { per_search: 0.01 } },
      { id: 'sim-speech', kind: 'speech', routes: [simulated], price: { per_million_characters: 100 } },
      { id: 'sim-transcription', kind: 'transcription', routes: [simulated], price: { per_second: 0.001 } },
    ],
  };
}
