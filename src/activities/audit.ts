/** The whole audit as a step of a workflow: its result for the history, and the first findings for the log. */
import type { Audited } from './activity-types.ts';
import type { WorkerDependencies } from './dependencies.ts';

const findingsLogged = 20;

export async function audit(deps: Pick<WorkerDependencies, 'audit' | 'log'>, signal: AbortSignal): Promise<Audited> {
  const { agrees, findingCount, findings, looked, startedAt, finishedAt, anchor } = await deps.audit(signal);
  const seconds = (finishedAt.getTime() - startedAt.getTime()) / 1000;
  if (agrees) deps.log.info({ looked, seconds, anchor }, 'the audit found that everything agrees');
  else
    deps.log.error(
      { findings: findings.slice(0, findingsLogged), findingCount, seconds },
      'the audit found disagreements',
    );
  return { agrees, findingCount, looked, seconds, ...(anchor && { anchor }) };
}
