/** The upstreams: whether each answers a call that costs nothing, and takes our credentials. */
import pLimit from 'p-limit';
import type { ProviderSettings } from '../../../domain/catalogue.ts';
import { createChatProviders, createTaskProviders, providerKinds } from '../../../providers/registry.ts';
import { judgeProbe, type ProbeAnswer } from '../../../domain/probes.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { fail, type Finding, ok, type Verdict, warn } from './finding.ts';
import { reasonOf } from './reason.ts';

const probesAtOnce = 32;
/** Below the time of a check, so that each gets a finding of its own. */
const probeMsMax = 4_000;

/** One finding a provider. Never a paid call. */
export async function examineProviders({ providers }: Configuration, signal: AbortSignal): Promise<Verdict<true>> {
  const turn = pLimit(probesAtOnce);
  const findings = await Promise.all(
    [...providers.values()].map((provider) => turn(() => examineProvider(provider, signal))),
  );
  return { findings, value: true };
}

async function examineProvider(provider: ProviderSettings, signal: AbortSignal): Promise<Finding> {
  const name = `provider ${provider.name}`;
  const one = new Map([[provider.name, provider]]);
  const unused = () => Promise.reject(new Error('a probe fetches no files'));
  const tools = { fetchFile: unused, fetchResult: unused, tempDir: '' };
  const adapters = [...createChatProviders(one).values(), ...createTaskProviders(one, tools).values()];
  const probed = adapters.find((adapter) => 'probe' in adapter);
  const place = placeOf(provider);
  try {
    const answer = await probed?.probe?.(AbortSignal.any([signal, AbortSignal.timeout(probeMsMax)]));
    return answer ? judgeAnswer(provider, answer) : ok(name, `${place}, not probed`);
  } catch (error) {
    const fix = `check the provider's status page, outbound network access, and providers.${provider.name}.base_url`;
    return fail(name, `${place} can't be reached: ${reasonOf(error)}`, fix);
  } finally {
    await Promise.allSettled(adapters.map(async (adapter) => adapter.close?.()));
  }
}

/** Says what the health report makes of the same answer: bad fails, unclear warns. */
export function judgeAnswer(provider: ProviderSettings, answer: ProbeAnswer): Finding {
  const { status } = answer;
  const name = `provider ${provider.name}`;
  const place = placeOf(provider);
  const settings = secretNames(provider)
    .map((secret) => `providers.${provider.name}.${secret}`)
    .join(' and ');
  const fix = settings === '' ? `see providers.${provider.name}` : `correct ${settings} in tollgate.yaml`;
  const verdict = judgeProbe(answer);
  if (verdict === 'good') return ok(name, `${place} responds${settings === '' ? '' : ' and accepts the credentials'}`);
  if (status === 402) return fail(name, `${place} rejects our account (402)`, 'pay the outstanding balance there');
  if (verdict === 'bad') return fail(name, `${place} rejects the credentials (401)`, fix);
  if (status === 403)
    return warn(
      name,
      `${place} accepts the credentials but denies this probe (403)`,
      `check the account there, or ${fix}`,
    );
  if (status === 429) return warn(name, `${place} rate limits us (429)`, 'check the limits of the account there');
  return warn(
    name,
    `${place} returns ${status} to the probe: the first call will show whether it accepts the credentials`,
    `check providers.${provider.name}.base_url; an upstream without a model list is fine`,
  );
}

const secretNames = ({ kind, secrets }: ProviderSettings): string[] =>
  Object.keys(providerKinds.find((declared) => declared.kind === kind)?.secrets ?? {}).filter((key) => key in secrets);

/** The kind and host; a base URL has no user, and its path may be long. */
const placeOf = ({ kind, baseUrl }: ProviderSettings): string =>
  baseUrl === undefined ? kind : `${kind} at ${new URL(baseUrl).host}`;
