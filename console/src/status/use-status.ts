/** The status, read again every half minute while the page is seen; an answer stays until a newer one is there. */
import { useEffect, useState } from 'react';
import { fetchStatus, type StatusReport } from './status-report.ts';

const refreshMs = 30_000;

export interface KnownStatus {
  report: StatusReport | undefined;
  /** The last read failed: what is shown is older. */
  isStale: boolean;
}

export function useStatus(): KnownStatus {
  const [known, setKnown] = useState<KnownStatus>({ report: undefined, isStale: false });
  useEffect(() => {
    const gone = new AbortController();
    const read = () => {
      if (document.hidden) return;
      fetchStatus(gone.signal).then(
        (report) => setKnown({ report, isStale: false }),
        () => {
          if (!gone.signal.aborted) setKnown(({ report }) => ({ report, isStale: true }));
        },
      );
    };
    read();
    const timer = setInterval(read, refreshMs);
    document.addEventListener('visibilitychange', read);
    return () => {
      gone.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', read);
    };
  }, []);
  return known;
}
