/** The registry: one line a kind of provider. A new kind is a folder, and its line here. */
import type { ProviderSettings } from '../domain/catalogue.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { ark } from './ark/ark.ts';
import type { ChatProvider } from './chat-contract.ts';
import type { TaskProvider } from './contract.ts';
import type { ProviderDefinition, ProviderTools } from './definition.ts';
import { fal } from './fal/fal.ts';
import { openai } from './openai/openai.ts';
import { replicate } from './replicate/replicate.ts';
import { simulator } from '../simulator/simulator-kind.ts';
import { sync } from './sync/sync.ts';
import { volcVisual } from './volc-visual/volc-visual.ts';

export const providerKinds: readonly ProviderDefinition[] = [
  openai,
  anthropic,
  ark,
  volcVisual,
  fal,
  replicate,
  sync,
  simulator,
];

/** The task adapters of the configured providers that have one, by the providers' names. */
export function createTaskProviders(
  settings: ReadonlyMap<string, ProviderSettings>,
  tools: ProviderTools,
  kinds = providerKinds,
): Map<string, TaskProvider> {
  return made(settings, kinds, ({ tasks }, provider) => tasks?.(provider, tools));
}

/** The chat adapters of the configured providers that have one, by the providers' names. */
export function createChatProviders(
  settings: ReadonlyMap<string, ProviderSettings>,
  kinds = providerKinds,
): Map<string, ChatProvider> {
  return made(settings, kinds, ({ chat }, provider) => chat?.(provider));
}

function made<Made>(
  settings: ReadonlyMap<string, ProviderSettings>,
  kinds: readonly ProviderDefinition[],
  make: (definition: ProviderDefinition, provider: ProviderSettings) => Made | undefined,
): Map<string, Made> {
  const providers = new Map<string, Made>();
  for (const [name, provider] of settings) {
    const definition = kinds.find(({ kind }) => kind === provider.kind);
    const adapter = definition && make(definition, provider);
    if (adapter !== undefined) providers.set(name, adapter);
  }
  return providers;
}
