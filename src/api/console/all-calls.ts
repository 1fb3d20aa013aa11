/** All calls of the console's API, group by group. */
import type { Call } from './console-call.ts';
import { actCalls } from './calls/acts.ts';
import { accountCalls } from './calls/account.ts';
import { batchCalls } from './calls/batches.ts';
import { bodyCalls } from './calls/bodies.ts';
import { eventCalls } from './calls/events.ts';
import { findCalls } from './calls/find.ts';
import { invitationCalls } from './calls/invitations.ts';
import { keyCalls } from './calls/keys.ts';
import { ledgerCalls } from './calls/ledger.ts';
import { modelCalls } from './calls/models.ts';
import { operatorAccountCalls } from './calls/operator-accounts.ts';
import { operatorActCalls } from './calls/operator-acts.ts';
import { operatorAuditCalls } from './calls/operator-audit.ts';
import { operatorBatchCalls } from './calls/operator-batches.ts';
import { operatorEventCalls } from './calls/operator-events.ts';
import { operatorMarginCalls } from './calls/operator-margin.ts';
import { operatorOverviewCalls } from './calls/operator-overview.ts';
import { operatorPeopleCalls } from './calls/operator-people.ts';
import { operatorModelCalls } from './calls/operator-models.ts';
import { operatorProviderCalls } from './calls/operator-providers.ts';
import { operatorReconciliationCalls } from './calls/operator-reconciliations.ts';
import { operatorTaskCalls } from './calls/operator-tasks.ts';
import { operatorUsageCalls } from './calls/operator-usage.ts';
import { operatorUnknownCalls } from './calls/operator-unknown.ts';
import { overviewCalls } from './calls/overview.ts';
import { playgroundCalls } from './calls/playground.ts';
import { profileCalls } from './calls/profile.ts';
import { operatorRequestCalls, requestCalls } from './calls/requests.ts';
import { sessionCalls } from './calls/session.ts';
import { settingsCalls } from './calls/settings.ts';
import { statementCalls } from './calls/statement.ts';
import { taskCalls } from './calls/tasks.ts';
import { teamCalls } from './calls/team.ts';
import { usageCalls } from './calls/usage.ts';
import { usageTableCalls } from './calls/usage-table.ts';
import { webhookCalls } from './calls/webhooks.ts';

export const calls: readonly Call[] = [
  ...sessionCalls,
  ...invitationCalls,
  ...profileCalls,
  ...findCalls,
  ...accountCalls,
  ...settingsCalls,
  ...actCalls,
  ...overviewCalls,
  ...keyCalls,
  ...requestCalls,
  ...bodyCalls,
  ...taskCalls,
  ...batchCalls,
  ...usageCalls,
  ...usageTableCalls,
  ...ledgerCalls,
  ...statementCalls,
  ...modelCalls,
  ...playgroundCalls,
  ...webhookCalls,
  ...eventCalls,
  ...teamCalls,
  ...operatorOverviewCalls,
  ...operatorAccountCalls,
  ...operatorPeopleCalls,
  ...operatorActCalls,
  ...operatorModelCalls,
  ...operatorProviderCalls,
  ...operatorRequestCalls,
  ...operatorTaskCalls,
  ...operatorBatchCalls,
  ...operatorEventCalls,
  ...operatorUnknownCalls,
  ...operatorMarginCalls,
  ...operatorUsageCalls,
  ...operatorAuditCalls,
  ...operatorReconciliationCalls,
];
