/** The secrets that a process was handed, so that its log can strike them out wherever they turn up. */
import type { Settings } from './load.ts';

/** All secret values of these settings; what is made or derived later is not among them. */
export function knownSecrets({
  environment,
  configuration,
}: Pick<Settings, 'environment' | 'configuration'>): string[] {
  const { databaseUrl, secrets = [], bootstrap, temporal, s3, traces } = environment;
  const all = [
    ...secrets,
    bootstrap.key,
    bootstrap.password,
    temporal.apiKey,
    s3?.credentials?.secretAccessKey,
    ...Object.values(traces?.headers ?? {}),
    ...(databaseUrl === undefined ? [] : passwordsOf(databaseUrl)),
    ...[...configuration.providers.values()].flatMap((provider) => Object.values(provider.secrets)),
  ];
  return all.filter((secret) => secret !== undefined);
}

/** As it is written, and as it is meant. */
function passwordsOf(databaseUrl: string): string[] {
  if (!URL.canParse(databaseUrl)) return [];
  const { password, searchParams } = new URL(databaseUrl);
  return [password, decodeURIComponent(password), searchParams.get('password') ?? ''];
}
