/** What `/metrics` shows, in a registry of its own for each API role. More metrics are made here, and handed to who counts. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../storage/database.ts';
import { type KeptAudit, lastWholeAudit } from '../storage/audits.ts';

const prefix = 'tollgate_';
const audit_kept_ms = 2_000;
const audit_wait_ms = 2_000;

/** Makes the metrics of one API process. `onError` is told when the database didn't answer; the scrape does all the same. */
export function createMetrics(database: Database, onError: (error: unknown) => void): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  addAuditMetrics(
    registry,
    rememberedFor(audit_kept_ms, () => lastAuditInTime(database, onError)),
  );
  return registry;
}

/** The last whole audit; without one, or without the database, these have no value. */
function addAuditMetrics(registry: Registry, last: () => Promise<KeptAudit | undefined>): void {
  const gauge = (name: string, help: string, valueOf: (audit: KeptAudit) => number) =>
    new Gauge({
      name: `${prefix}audit_${name}`,
      help,
      registers: [registry],
      async collect() {
        const audit = await last();
        if (audit) this.set(valueOf(audit));
        else this.remove();
      },
    });
  gauge('agrees', 'Whether the last whole audit found that everything agrees: 1 or 0.', ({ agrees }) => Number(agrees));
  gauge('findings', 'How many things disagreed in the last whole audit.', ({ findingCount }) => findingCount);
  gauge('entries', 'How many ledger entries the last whole audit looked at.', ({ looked }) => looked['entries'] ?? 0);
  gauge('started_timestamp_seconds', 'When the last whole audit began.', ({ startedAt }) => seconds(startedAt));
  gauge('finished_timestamp_seconds', 'When the last whole audit ended.', ({ finishedAt }) => seconds(finishedAt));
}

const seconds = (date: Date): number => date.getTime() / 1000;

async function lastAuditInTime(database: Database, onError: (error: unknown) => void): Promise<KeptAudit | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database did not answer in time')), audit_wait_ms);
  });
  try {
    return await Promise.race([lastWholeAudit(database), timeout]);
  } catch (error) {
    onError(error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Asks once for all who want to know at a time, and again only when the answer is old. */
function rememberedFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (answer && performance.now() - askedAt < ms) return answer;
    askedAt = performance.now();
    return (answer = ask());
  };
}
