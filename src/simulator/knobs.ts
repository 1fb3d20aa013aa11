/** What a prompt or the settings make the simulator do: wait, fail, or refuse. */
import { createHash } from 'node:crypto';
import type { ProviderSettings } from '../domain/catalogue.ts';

export interface Knobs {
  delayMs: number;
  /** Fails with this message. */
  failure?: string;
  /** Refuses the prompt. */
  isRefused: boolean;
}

export interface KnobSettings {
  latencyMs: number;
  /** Of all references, from 0 to 1. */
  failRate: number;
  seed: number;
}

/** The knobs that a provider's settings turn for all of its calls. */
export const knobSettingsOf = ({ numbers }: Pick<ProviderSettings, 'numbers'>): KnobSettings => ({
  latencyMs: numbers['latency_ms'] ?? 0,
  failRate: numbers['fail_rate'] ?? 0,
  seed: numbers['seed'] ?? 0,
});

/** A delay longer than any deadline is as good as a day. */
const delayMsMax = 86_400_000;

/**
 * Reads `[sim:delay=2s]` (or `ms`), `[sim:fail=message]` and `[sim:policy]` out of a prompt. Without a delay
 * `latencyMs` counts. A `failRate` of the references fails, the same ones every time.
 */
export function readKnobs(prompt: string, reference: string, settings: KnobSettings): Knobs {
  const [, amount, unit] = /\[sim:delay=(\d{1,9}(?:\.\d{1,3})?)(ms|s)\]/.exec(prompt) ?? [];
  const failure = /\[sim:fail=([^\]]*)\]/.exec(prompt)?.[1];
  const delayMs = amount === undefined ? settings.latencyMs : Number(amount) * (unit === 's' ? 1_000 : 1);
  const chance = createHash('sha256').update(`${settings.seed}/${reference}`).digest().readUInt32BE(0) / 2 ** 32;
  const drawn = chance < settings.failRate ? 'Simulated failure (fail_rate).' : undefined;
  const message = failure === '' ? 'Simulated failure ([sim:fail]).' : (failure ?? drawn);
  return {
    delayMs: Math.min(Math.round(delayMs), delayMsMax),
    isRefused: prompt.includes('[sim:policy]'),
    ...(message === undefined ? {} : { failure: message }),
  };
}
