/** The rules of a model's health, from what its traffic and the probes of its routes said. */
import type { ProbeVerdict } from '../../domain/probes.ts';

/** What a call or task of the model said about its routes. */
export interface Telling {
  /** Undefined for a success; else the fault of a route. */
  errorCode: string | undefined;
  finishedAtMs: number;
  latencyMs: number;
}

/** What a provider answered when it was asked how it is. */
export interface Probe {
  atMs: number;
  verdict: ProbeVerdict;
}

export interface Health {
  available: boolean;
  /** The median of the last outcomes, 0 without any. */
  latencyMs: number;
  /** Unix milliseconds. */
  lastChecked: number;
}

/** Route faults in a row after which a model counts as unavailable. */
const faultsMax = 3;
/** How long after a fault a good probe says nothing: a model list is served while generations fail. */
const faultsKeptMs = 10 * 60_000;

/**
 * Judges a model by its newest outcomes (newest first, callers' own mistakes left out) and the last probe of each
 * route's provider. After three faults only a success makes it available again, or a good probe once ten minutes have
 * passed without a fault. Without them, bad probes of all routes speak against it if it was idle then: what real calls
 * have just said is worth more. A probe that says nothing changes nothing.
 */
export function healthOf(
  outcomes: readonly Telling[],
  probes: readonly (Probe | undefined)[],
  { idleMs }: { idleMs: number },
): Health {
  const newestAtMs = outcomes[0]?.finishedAtMs ?? 0;
  const newest = outcomes.slice(0, faultsMax);
  const isFaulty = newest.length === faultsMax && newest.every(({ errorCode }) => errorCode !== undefined);
  const isReached = probes.some((probe) => probe?.verdict === 'good' && probe.atMs >= newestAtMs + faultsKeptMs);
  const isCutOff =
    probes.length > 0 && probes.every((probe) => probe?.verdict === 'bad' && probe.atMs > newestAtMs + idleMs);
  return {
    available: isFaulty ? isReached : !isCutOff,
    latencyMs: median(outcomes.map(({ latencyMs }) => latencyMs)),
    lastChecked: Math.max(newestAtMs, ...probes.map((probe) => probe?.atMs ?? 0)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [lower = 0, upper = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return Math.round((lower + upper) / 2);
}
