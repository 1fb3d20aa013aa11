/** Job ids of the simulator. They say all that it must remember of a job, so that any process can go on with it. */
import { createHash } from 'node:crypto';

/** `sim_<Unix ms of the submission, base 36>_<16 hexadecimal digits of the reference's hash>`. */
export const newJobId = (submittedAtMs: number, reference: string): string =>
  `sim_${Math.floor(submittedAtMs).toString(36)}_${hashOf(reference)}`;

/** The time of submission, Unix ms; undefined for what is no id of this job. */
export function submittedAt(jobId: string, reference: string): number | undefined {
  const [, time, hash] = /^sim_([0-9a-z]{1,10})_([0-9a-f]{16})$/.exec(jobId) ?? [];
  return time === undefined || hash !== hashOf(reference) ? undefined : Number.parseInt(time, 36);
}

const hashOf = (reference: string): string => createHash('sha256').update(reference).digest('hex').slice(0, 16);
