/** The simulator as a kind of provider: no credentials, and knobs for tests. */
import { modelKinds } from '../domain/catalogue.ts';
import { endpointNames } from '../domain/call-endpoints.ts';
import type { ProviderDefinition } from '../providers/definition.ts';
import { createSimulatorChat } from './chat.ts';
import { createSimulator } from './simulator.ts';

export const simulator: ProviderDefinition = {
  kind: 'simulator',
  serves: modelKinds,
  secrets: {},
  endpoints: endpointNames,
  numbers: {
    latency_ms: { whole: true, min: 0, max: 3_600_000, default: 0 },
    fail_rate: { min: 0, max: 1, default: 0 },
    seed: { whole: true, min: 0, max: 2 ** 31 - 1, default: 1 },
  },
  tasks: createSimulator,
  chat: createSimulatorChat,
};
