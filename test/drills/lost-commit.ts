/** An admission whose commit is lost on its way to PostgreSQL, or whose answer is lost on the way back. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Line } from '../support/line.ts';
import { orderMark } from './load.ts';

export const commitAims = ['commit lost', 'answer lost'] as const;
export type CommitAim = (typeof commitAims)[number];

export const isCommitAim = (aim: string): aim is CommitAim => commitAims.some((one) => one === aim);

/** What became of the admission; `none came` while the line waited for one. */
export type LostCommit = 'committed' | 'not committed' | 'none came';

const admissionMsMax = 12_000;
/** What PostgreSQL takes for it; a commit that was refused, since its rows had changed, never comes. */
const commitMsMax = 1_500;
const lookMs = 20;

/** Makes the line fail at the next admission; resolves once the commit is lost, or is there and unanswered. */
export async function loseCommit(line: Line, pool: pg.Pool, aim: CommitAim): Promise<LostCommit> {
  const waiting = new AbortController();
  const came = line.fails(aim === 'commit lost' ? 'silent' : 'mute', orderMark);
  const none = pause(admissionMsMax, undefined, { signal: waiting.signal }).catch(() => undefined);
  const bytes = await Promise.race([came, none]);
  waiting.abort();
  if (bytes === undefined) return 'none came';
  const [order] = new RegExp(`${orderMark}[0-9a-f-]{36}`).exec(bytes.toString('latin1')) ?? [];
  const isThere = async () => (await pool.query('select 1 from tasks where request_id = $1', [order])).rowCount !== 0;
  if (aim === 'commit lost') return (await isThere()) ? 'committed' : 'not committed';
  for (const startedAt = performance.now(); performance.now() - startedAt < commitMsMax;) {
    if (await isThere()) return 'committed';
    await pause(lookMs);
  }
  return 'not committed';
}
