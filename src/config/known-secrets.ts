/** The secrets that a process was handed, so that its log can strike them out wherever they turn up. */
import type { Settings } from './load-settings.ts';

/** All secret values of these settings; what is made or derived later is not among them. */
export const knownSecrets = ({ environment, configuration }: Pick<Settings, 'environment' | 'configuration'>) => [
  ...secretsOfEnvironment(environment),
  ...secretsOfConfiguration(configuration),
];

export function secretsOfEnvironment(environment: Settings['environment']): string[] {
  const { databaseUrl, secrets = [], bootstrap, temporal, s3, traces } = environment;
  const all = [
    ...secrets,
    bootstrap.key,
    bootstrap.password,
    temporal.apiKey,
    ...(temporal.codecKeys ?? []).map(({ key }) => key.toString('base64')),
    s3?.credentials?.secretAccessKey,
    ...Object.values(traces?.headers ?? {}),
    ...(databaseUrl === undefined ? [] : passwordsOf(databaseUrl)),
  ];
  return all.filter((secret) => secret !== undefined);
}

/** Headers and the options of routes may hold credentials, too. */
export const secretsOfConfiguration = ({ providers, variables }: Settings['configuration']): string[] => [
  ...[...providers.values()].flatMap(({ secrets, headers }) => [...Object.values(secrets), ...Object.values(headers)]),
  ...Object.values(variables),
];

/** As it is written, and as it is meant. */
function passwordsOf(databaseUrl: string): string[] {
  if (!URL.canParse(databaseUrl)) return [];
  const { password, searchParams } = new URL(databaseUrl);
  return [password, decoded(password), searchParams.get('password') ?? ''];
}

/** As a server may name it in a message; one that can't be decoded stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
