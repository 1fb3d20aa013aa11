/** Answers that take the database long: each process reads one at a time, and keeps it a while for all who ask. */
import type { Database } from '../../../postgres/database.ts';

/** Returns what reads the answer, or returns the last one if it is not older than `forMs`. A failure is not kept. */
export function kept<Answer>(
  forMs: number,
  read: (database: Database) => Promise<Answer>,
): (database: Database) => Promise<Answer> {
  const known = new WeakMap<Database, { atMs: number; answer: Promise<Answer> }>();
  return (database) => {
    const last = known.get(database);
    if (last && last.atMs + forMs > Date.now()) return last.answer;
    const answer = read(database);
    known.set(database, { atMs: Date.now(), answer });
    answer.catch(() => known.delete(database));
    return answer;
  };
}
