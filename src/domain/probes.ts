/** What a provider's answer to a probe says: a call that costs nothing, for the health report and `tollgate doctor`. */

export interface ProbeAnswer {
  /** Of HTTP, below 500. */
  status: number;
  /**
   * Whether it is the refusal that a provider which takes our credentials gives to this probe; of kinds without a free
   * address that answers 2xx.
   */
  isExpected?: boolean;
}

/**
 * `good`: the provider is there and takes our credentials, or has none to take. `bad`: it refuses the credentials (401) or
 * the account (402). `unclear`: the answer is about the probe itself and says nothing of other calls, such as 404 of an
 * upstream without a model list, 403 for a key that may not read it, or 429.
 */
export type ProbeVerdict = 'good' | 'bad' | 'unclear';

/** Judges the answer to a probe; one that failed (no answer, 5xx) is bad, too. */
export function judgeProbe({ status, isExpected = false }: ProbeAnswer): ProbeVerdict {
  if ((status >= 200 && status < 300) || isExpected) return 'good';
  return status === 401 || status === 402 || status >= 500 ? 'bad' : 'unclear';
}
