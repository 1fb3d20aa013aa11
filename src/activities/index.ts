/** The activities as tables: submit, collect, the local steps in our own database, background work, batches, the audit, and retention. */
import { audit } from './audit.ts';
import type {
  AuditActivities,
  BackgroundActivities,
  BatchActivities,
  LocalActivities,
  RetentionActivities,
  TaskActivities,
} from './activity-types.ts';
import { cancelBatch, finalizeBatch, runBatchSlice, validateBatch } from './batch.ts';
import { collect } from './collect.ts';
import { deliver, giveUp } from './deliver.ts';
import type { ActivityDependencies, WorkerDependencies } from './dependencies.ts';
import { release, settle } from './end.ts';
import { expire } from './expire.ts';
import { withHeartbeats } from './heartbeat.ts';
import { retain } from './retain.ts';
import { inStep } from './step.ts';
import { submit } from './submit.ts';
import { withdraw } from './withdraw.ts';

export type { ActivityDependencies, WorkerDependencies } from './dependencies.ts';

export const submitActivities = (deps: ActivityDependencies): Pick<TaskActivities, 'submit'> => ({
  submit: (args) => inStep(deps, args, (deps) => withHeartbeats((signal) => submit(deps, args, signal))),
});

export const collectActivities = (deps: ActivityDependencies): Pick<TaskActivities, 'collect'> => ({
  collect: (args) => inStep(deps, args, (deps) => withHeartbeats((signal) => collect(deps, args, signal))),
});

export const auditActivities = (deps: WorkerDependencies): AuditActivities => ({
  audit: () => inStep(deps, {}, (deps) => withHeartbeats((signal) => audit(deps, signal))),
});

export const retentionActivities = (deps: WorkerDependencies): RetentionActivities => ({
  retain: () => inStep(deps, {}, (deps) => withHeartbeats((signal) => retain(deps, signal))),
});

export const localActivities = (deps: WorkerDependencies): LocalActivities => ({
  settle: (args) => inStep(deps, args, (deps) => settle(deps, args)),
  release: (args) => inStep(deps, args, (deps) => release(deps, args)),
  expire: (args) => inStep(deps, args, (deps) => expire(deps, args)),
  giveUp: (args) => inStep(deps, args, (deps) => giveUp(deps, args)),
  cancelBatch: (args) => inStep(deps, args, (deps) => cancelBatch(deps, args)),
});

export const backgroundActivities = (deps: ActivityDependencies): BackgroundActivities => ({
  withdraw: (args) => inStep(deps, args, (deps) => withHeartbeats((signal) => withdraw(deps, args, signal))),
  deliver: (args) => inStep(deps, args, (deps) => withHeartbeats((signal) => deliver(deps, args, signal))),
});

export const batchActivities = (deps: WorkerDependencies): BatchActivities => ({
  validateBatch: (args) => inStep(deps, args, (deps) => withHeartbeats((signal) => validateBatch(deps, args, signal))),
  runBatchSlice: (args) => inStep(deps, args, (deps) => withHeartbeats((signal) => runBatchSlice(deps, args, signal))),
  finalizeBatch: (args) => inStep(deps, args, (deps) => withHeartbeats((signal) => finalizeBatch(deps, args, signal))),
});
