/** How fast a batch's lines came to their end, by its counts and times. */

interface Counted {
  completed: number;
  failed: number;
  inProgressAt: Date | null;
  finalizingAt: Date | null;
}

/** Less than this is no measure. */
const spanMsMin = 1_000;

/** Lines a minute from when the first could be sent until all had ended, or until `now`; null: none has ended, or no time has passed. */
export function linesPerMinute(
  { completed, failed, inProgressAt, finalizingAt }: Counted,
  endedAt: Date | null,
  now: Date,
): number | null {
  const lines = completed + failed;
  if (inProgressAt === null || lines === 0) return null;
  const spanMs = (finalizingAt ?? endedAt ?? now).getTime() - inProgressAt.getTime();
  return Math.round((lines * 600_000) / Math.max(spanMsMin, spanMs)) / 10;
}
