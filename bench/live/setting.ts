/** The gateway before the provider: two models, one of which goes to a provider with a create rate. */
import { type MeasuredGateway, startGateway } from '../gateway.ts';

export const createsASecond = 20;
export const models = { live: 'bench-live', paced: 'bench-paced' } as const;

/**
 * Polls are as frequent as their interval asks for, whatever the number of tasks: the bound of the kind (25 a second)
 * is that of a service whose rates are its own.
 */
export function configurationFor(provider: string, pollSeconds: number): string {
  const common = `kind: replicate, base_url: "${provider}/v1", api_key: r8_bench, deadline_seconds: 7200`;
  const polls = `poll_interval_seconds: ${pollSeconds}, max_polls_per_second: 10000`;
  const model = (id: string, route: string) =>
    `  - { id: ${id}, kind: video, routes: [{ provider: ${route}, model: bench/video }], price: { per_second: 0.01 } }`;
  return `
providers:
  live: { ${common}, ${polls} }
  paced: { ${common}, ${polls}, max_per_second: ${createsASecond} }
models:
${model(models.live, 'live')}
${model(models.paced, 'paced')}
`;
}

/** Builds what is stale and starts it. */
export const startLiveGateway = (provider: string, pollSeconds: number): Promise<MeasuredGateway> =>
  startGateway({ configuration: configurationFor(provider, pollSeconds) });
