/** The addresses that others use: our own, Temporal's web interface, where traces go; and the proxies before us. */
import { isIP } from 'node:net';
import * as z from 'zod';
import { providerKinds } from '../../../providers/registry.ts';
import type { Configuration } from '../../../config/configuration.ts';
import type { Environment } from '../../../config/environment.ts';
import { judgeClock } from './check-clock.ts';
import { fail, type Finding, ok, type Verdict, warn } from './finding.ts';
import { reasonOf } from './reason.ts';
import { findSocketError } from './check-sockets.ts';

const callMsMax = 4_000;
/** HTTP names whole seconds. */
const dateAccuracyMs = 1_000;
const healthy = z.object({ status: z.literal('ok') });
const readiness = z.union([
  z.object({ status: z.literal('ok') }),
  z.object({ status: z.literal('degraded'), temporal: z.string() }),
]);
const notReady = z.object({ error: z.object({ message: z.string() }) });

/** Whether the API serves at its port here. Where none runs, the port is free for one. */
export async function examineApi(
  { host, port }: Pick<Environment, 'host' | 'port'>,
  gatewayUrl: string | undefined,
  signal: AbortSignal,
): Promise<Verdict<true>> {
  const name = 'api';
  if (gatewayUrl === undefined && port === 0) return { findings: [ok(name, 'PORT is 0: a free port will be used')] };
  const reached = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const url = gatewayUrl ?? `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`;
  const place = new URL(url).host;
  if ((await findSocketError(placeWithPort(url), callMsMax)) !== undefined) {
    if (gatewayUrl !== undefined) {
      const fix = "see gateway.log in the data folder, and start it again ('npm start')";
      return { findings: [fail(name, `the gateway recorded ${place}, but nothing is listening there`, fix)] };
    }
    return { findings: [ok(name, `not running on this machine; port ${port} is free`)], value: true };
  }
  const health = await request(`${url}/healthz`, signal).catch(() => undefined);
  if (!healthy.safeParse(health?.body).success) {
    const fix = 'set PORT to another port, or stop that program';
    return { findings: [fail(name, `another program is listening on ${place}`, fix)] };
  }
  const { status, body } = await request(`${url}/readyz`, signal);
  const state = readiness.safeParse(body).data;
  if (status === 200 && state?.status === 'ok') return { findings: [ok(name, `ready at ${place}`)], value: true };
  if (state?.status === 'degraded') {
    const fix = 'chat works, tasks are queued; see the temporal check';
    return { findings: [warn(name, `ready at ${place}, but without Temporal (${state.temporal})`, fix)], value: true };
  }
  const said = notReady.safeParse(body).data?.error.message ?? `answers ${status}`;
  return { findings: [fail(name, `at ${place}: ${said}`, 'see the check named there, and the log')] };
}

/** Whether callers and providers can reach us, as far as that can be seen from here. `recorded` is the address that an API stored in its database. */
export async function examinePublicUrl(
  { publicUrl, trustedProxies }: Pick<Environment, 'publicUrl' | 'trustedProxies'>,
  { recorded, configuration }: { recorded: string | undefined; configuration: Configuration | undefined },
  signal: AbortSignal,
): Promise<Verdict<true>> {
  const findings: Finding[] = [];
  const name = 'public url';
  const url = publicUrl ?? recorded;
  const source = publicUrl === undefined ? ', last recorded by the API; PUBLIC_URL is not set' : '';
  const calling = configuration ? callingProviders(configuration) : [];
  const set = 'set PUBLIC_URL to the public URL of the API';
  if (url === undefined || isLoopback(url)) {
    const found = url === undefined ? 'PUBLIC_URL is not set' : `${url}${source}`;
    if (calling.length > 0)
      findings.push(warn(name, `${found}: ${calling.join(', ')} can't call back or fetch files there`, set));
    else if (publicUrl === undefined) findings.push(ok(name, `${found}: reachable from this machine only`));
  }
  if (publicUrl !== undefined) findings.push(...(await checkReachable(publicUrl, signal)));
  findings.push(judgeProxies(publicUrl, trustedProxies));
  return { findings, value: true };
}

async function checkReachable(url: string, signal: AbortSignal): Promise<Finding[]> {
  const name = 'public url';
  const fix = "check DNS, certificate and proxy; if only this machine can't reach it, try from another";
  try {
    const { status, body, date } = await request(`${url}/healthz`, signal);
    if (status === 200 && healthy.safeParse(body).success) {
      const clock = date === undefined ? [] : [judgeClock(`that of ${url}`, Date.now() - date, dateAccuracyMs)];
      return [ok(name, `${url} reaches a gateway`), ...clock];
    }
    const found = status === 200 ? 'responds, but is not a gateway' : `returns ${status} for /healthz`;
    return [fail(name, `${url} ${found}`, 'configure the proxy to forward all paths to the API')];
  } catch (error) {
    return [fail(name, `${url}: ${reasonOf(error)}`, fix)];
  }
}

/** The proxies in front of the API, as far as the settings name them. */
export function judgeProxies(publicUrl: string | undefined, trusted: readonly string[]): Finding {
  const name = 'trusted proxies';
  const open = trusted.filter((entry) => entry.endsWith('/0'));
  if (open.length > 0)
    return warn(
      name,
      `${open.join(', ')} trusts the headers of every client`,
      'list only the networks of your proxies',
    );
  if (trusted.length > 0) return ok(name, trusted.join(', '));
  if (publicUrl?.startsWith('https:') === true) {
    const found = "none, although PUBLIC_URL is https: sign-ins are rate limited and logged under the proxy's address";
    return warn(name, found, 'set TOLLGATE_TRUSTED_PROXIES to the addresses of the proxy');
  }
  return ok(name, 'none: clients connect directly');
}

/** Another service's address, if one is set: any answer shows that it is there. */
export async function examineService(
  { name, setting, url, loss }: { name: string; setting: string; url: string | undefined; loss: string },
  signal: AbortSignal,
): Promise<Verdict<true>> {
  if (url === undefined) return { findings: [], value: true };
  try {
    const { status } = await request(url, signal);
    if (status < 500) return { findings: [ok(name, `${url} answers`)], value: true };
    return { findings: [warn(name, `${url} returns ${status}: ${loss}`, 'check its log')] };
  } catch (error) {
    return { findings: [warn(name, `${url}: ${reasonOf(error)}; ${loss}`, `start it, or correct ${setting}`)] };
  }
}

const bodyCharactersMax = 64 * 1024;

async function request(url: string, signal: AbortSignal): Promise<{ status: number; body: unknown; date?: number }> {
  const answer = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(callMsMax)]),
  });
  const date = Date.parse(answer.headers.get('date') ?? '');
  const length = Number(answer.headers.get('content-length') ?? 0);
  const isJson = /json/.test(answer.headers.get('content-type') ?? '') && length <= bodyCharactersMax;
  const body: unknown = isJson ? await answer.json() : await answer.body?.cancel();
  return { status: answer.status, body, ...(!Number.isNaN(date) && { date }) };
}

/** Providers of the internet, which fetch files from us and may call us back. */
function callingProviders({ providers }: Configuration): string[] {
  const external = providerKinds.filter(({ tasks, secrets }) => tasks && Object.keys(secrets).length > 0);
  return [...providers.values()]
    .filter(({ kind, baseUrl }) => external.some((known) => known.kind === kind) && !(baseUrl && isLoopback(baseUrl)))
    .map(({ name }) => name);
}

const isLoopback = (url: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

function placeWithPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
