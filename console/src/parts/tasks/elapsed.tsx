/** How long a task took, or has been running; the latter keeps counting. */
import { useEffect, useState } from 'react';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { durationText } from '../measures.ts';

/** `created` in seconds since 1970; `took` in seconds, null while it runs. */
export function Elapsed({ created, took }: { created: number; took: number | null }) {
  const locale = localeOf(useLanguage());
  const now = useSeconds(took === null);
  const seconds = took ?? Math.max(0, now - created);
  return <span className="tg-number">{durationText(seconds, locale)}</span>;
}

function useSeconds(runs: boolean): number {
  const [now, setNow] = useState(() => Math.floor(Date.now() / 1000));
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1000)), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
