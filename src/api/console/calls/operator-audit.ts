/** The audit, for operators: what the last ones found, whether one runs, and having one run now. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { type AuditPosition, findAudit, listAudits, type ListedAudit } from '../../../audit/audit-results.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, limit, pageRowsDefault } from '../../lists/list-query.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const auditFields = {
  object: z.literal('audit'),
  id: z.string(),
  started: z.int(),
  finished: z.int(),
  /** Only what is newer was looked at; null: everything. */
  since: z.int().nullable(),
  /** Parts that were not looked at, such as Temporal's workflows. */
  left_out: z.array(z.string()),
  agrees: z.boolean(),
  /** How many entries, holds, tasks… were looked at. */
  looked: z.record(z.string(), z.number()),
  finding_count: z.int(),
};
const auditRecord = z.strictObject(auditFields);
const wholeRecord = z.strictObject({
  ...auditFields,
  /** The first of what disagrees. */
  findings: z.array(z.strictObject({ check: z.string(), subject: z.string(), says: z.string() })),
});

const present = (audit: ListedAudit): z.input<typeof auditRecord> => ({
  object: 'audit',
  id: audit.id,
  started: unixSeconds(audit.startedAt),
  finished: unixSeconds(audit.finishedAt),
  since: audit.since && unixSeconds(audit.since),
  left_out: [...audit.leftOut],
  agrees: audit.agrees,
  looked: { ...audit.looked },
  finding_count: audit.findingCount,
});

const cursorForm = new RegExp(`^(\\d{1,14})\\.(${uuid})$`);
const listCall = operatorCall({
  method: 'get',
  path: '/operator/audits',
  id: 'listAudits',
  summary: 'Audits that were made, newest first',
  query: z.object({
    limit,
    cursor: z
      .string(cursorRule)
      .regex(cursorForm, cursorRule)
      .transform((cursor): AuditPosition => {
        const [, ms = '', id = ''] = cursorForm.exec(cursor) ?? [];
        return { finishedAt: new Date(Number(ms)), id };
      })
      .optional(),
  }),
  answer: listOf(auditRecord),
  handle: async ({ deps: { database, secrets }, query: { limit: rows, cursor } }) => {
    const listing: Listing<ListedAudit, AuditPosition> = {
      read: ({ limit: count, after }) => listAudits(database, secrets.ledgerKeys, { limit: count, before: after }),
      positionOf: ({ finishedAt, id }) => ({ finishedAt, id }),
      cursorOf: ({ finishedAt, id }) => `${finishedAt.getTime()}.${id}`,
    };
    return listObject(await readPage(listing, { limit: rows ?? pageRowsDefault, after: cursor }), present);
  },
});

const getCall = operatorCall({
  method: 'get',
  path: '/operator/audits/{audit}',
  id: 'getAudit',
  summary: 'One audit, with the first of what disagreed',
  answer: wholeRecord,
  handle: async ({ deps: { database, secrets }, params: { audit: id = '' } }) => {
    const audit = new RegExp(`^${uuid}$`).test(id) ? await findAudit(database, secrets.ledgerKeys, id) : undefined;
    if (!audit) throw new GatewayError('route_not_found', 'Audit not found.');
    const findings = audit.findings.map(({ check, subject, says }) => ({ check, subject, says }));
    return { ...present(audit), findings };
  },
});

const stateCall = operatorCall({
  method: 'get',
  path: '/operator/audit-run',
  id: 'getAuditRun',
  summary: 'Whether an audit runs now, and when the next one is due',
  answer: z.strictObject({
    /** `away`: Temporal can't be reached; `missing`: no worker has scheduled the audit yet. */
    state: z.enum(['idle', 'running', 'paused', 'missing', 'away']),
    next: z.int().nullable(),
  }),
  handle: async ({ deps: { auditRuns } }) => {
    try {
      const now = await auditRuns.state();
      if (!now) return { state: 'missing', next: null };
      const { isRunning, isPaused, nextAt } = now;
      const next = nextAt && !isPaused ? unixSeconds(nextAt) : null;
      return { state: isRunning ? 'running' : isPaused ? 'paused' : 'idle', next };
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'not_ready') return { state: 'away', next: null };
      throw error;
    }
  },
});

const runCall = operatorCall({
  method: 'post',
  path: '/operator/audit-run',
  id: 'runAudit',
  summary: 'Have an audit run now; its result is among the audits once it has ended',
  answer: z.strictObject({ state: z.enum(['started', 'running']) }),
  handle: async ({ deps: { auditRuns } }) => {
    const state = await auditRuns.start();
    if (!state)
      throw new GatewayError('not_ready', 'No worker has scheduled the audit yet. Start a worker and try again.');
    return { state };
  },
});

export const operatorAuditCalls = [listCall, getCall, stateCall, runCall];
