/** The fixtures over which the contract suites run: one of each kind of provider that calls a service. */
import { arkFixture } from '../ark/fixture.ts';
import { falFixture } from '../fal/fixture.ts';
import { openaiFixture } from '../openai/fixture.ts';
import { replicateFixture } from '../replicate/fixture.ts';
import { syncFixture } from '../sync/fixture.ts';
import { volcVisualFixture } from '../volc-visual/fixture.ts';
import type { ProviderFixture } from './fixture.ts';

export const fixtures: readonly ProviderFixture[] = [
  openaiFixture,
  arkFixture,
  volcVisualFixture,
  falFixture,
  replicateFixture,
  syncFixture,
];
