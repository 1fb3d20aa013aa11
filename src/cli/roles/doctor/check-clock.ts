/** Whether clocks agree: deadlines go by the database's, while links, certificates and signed calls go by each machine's. */
import { fail, type Finding, ok, warn } from './finding.ts';

/** Below it nothing notices; beyond the second, signed calls and webhooks are refused by others. */
const skewMsLow = 2_000;
const skewMsMax = 60_000;

/** `whose` clock is behind this machine's by so much, measured this well. */
export function judgeClock(whose: string, aheadMs: number, accuracyMs: number): Finding {
  const off = Math.max(0, Math.abs(aheadMs) - accuracyMs);
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  if (off < skewMsLow)
    return ok('clock', `in sync with ${whose} (within ${Math.max(0.1, (off + accuracyMs) / 1000).toFixed(1)} s)`);
  const found = `this machine's is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${whose}`;
  const fix = 'synchronize both machines with NTP (timedatectl set-ntp true)';
  return off < skewMsMax ? warn('clock', found, fix) : fail('clock', found, fix);
}
