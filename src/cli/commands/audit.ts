/** `tollgate audit`: whether everything that is stored agrees, and a full list of what doesn't. */
import type { Command } from 'commander';
import type { AuditOptions, AuditReport } from '../../audit/audit.ts';
import { print, Refusal } from '../output.ts';
import { moment } from '../options.ts';

interface Options {
  since?: Date;
  deep?: boolean;
  temporal: boolean;
  json?: boolean;
}

const findingsShownMax = 100;
const progressMs = 250;

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('check ledger, tasks, stored files and workflows against each other; exits 1 on any discrepancy')
    .option('--since <time>', 'check only newer data, such as since 2027-01-31T00:00:00Z', moment)
    .option('--deep', 'read every stored file and verify its SHA-256')
    .option('--no-temporal', "don't compare tasks with Temporal's workflows")
    .option('--json', 'print the report as JSON')
    .action(async ({ since, deep = false, temporal, json }: Options) => {
      const { runAudit } = await import('../roles/audit-role.ts'); // Temporal's client takes a moment to load
      const report = await runAudit({ since, deep, temporal, onProgress: progress() });
      print(json === true ? JSON.stringify(auditObject(report)) : auditText(report));
      if (!report.agrees) throw new Refusal(`The audit found ${things(report.findingCount, 'discrepancy')}.`);
    });
}

const auditObject = ({ agrees, startedAt, finishedAt, since, looked, findingCount, findings }: AuditReport) => ({
  object: 'audit',
  agrees,
  started: startedAt.toISOString(),
  finished: finishedAt.toISOString(),
  since: since?.toISOString() ?? null,
  looked,
  finding_count: findingCount,
  findings,
});

function auditText({ agrees, startedAt, finishedAt, since, looked, findingCount, findings }: AuditReport): string {
  const seconds = ((finishedAt.getTime() - startedAt.getTime()) / 1000).toFixed(1);
  const shown = findings.slice(0, findingsShownMax);
  const more = findingCount - shown.length;
  const from = since ? ` since ${since.toISOString()}` : '';
  return [
    `Checked ${lookedText(looked)}${from} in ${seconds} s.`,
    ...shown.map(({ check, subject, says }) => `${check}  ${subject}  ${says}`),
    ...(more > 0 ? [`… and ${more.toLocaleString('en')} more.`] : []),
    ...(agrees ? ['No discrepancies.'] : []),
  ].join('\n');
}

/** Shows people at a terminal, on one line of stderr, how far it is. */
function progress(): AuditOptions['onProgress'] {
  if (!process.stderr.isTTY) return undefined;
  let shownAtMs = -Infinity;
  process.once('exit', () => process.stderr.write('\r\u001b[K'));
  return (check, looked) => {
    if (performance.now() - shownAtMs < progressMs) return;
    shownAtMs = performance.now();
    process.stderr.write(`\r\u001b[K${check}: ${lookedText(looked)}`);
  };
}

const lookedText = (looked: AuditReport['looked']): string =>
  Object.entries(looked)
    .map(([what, count]) => `${count.toLocaleString('en')} ${count === 1 ? singular(what) : what}`)
    .join(', ');

/** Of `entries`, `people`, `blobs in the store`: the first word is what is counted. */
const singular = (what: string): string =>
  what
    .replace(/^people\b/, 'person')
    .replace(/^(?!accounts and)(\w+?)(ies|s)\b/, (_, stem: string, end: string) => stem + (end === 's' ? '' : 'y'));

const things = (count: number, name: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? name : name.replace(/y$/, 'ie')}${count === 1 ? '' : 's'}`;
