/** The activities as tables: what runs on the queues of providers, the steps in our own database, deliveries, the audit, and retention. */
import { audit } from './audit.ts';
import type {
  AuditActivities,
  CleaningActivities,
  DeliveryActivities,
  HouseActivities,
  ProviderActivities,
  RetentionActivities,
} from './contract.ts';
import { collect } from './collect.ts';
import { deliver, giveUp } from './deliver.ts';
import type { ActivityDependencies, WorkerDependencies } from './dependencies.ts';
import { release, settle } from './end.ts';
import { expire } from './expire.ts';
import { guarded } from './failures.ts';
import { withHeartbeats } from './heartbeat.ts';
import { retain } from './retain.ts';
import { submit } from './submit.ts';
import { withdraw } from './withdraw.ts';

export type { ActivityDependencies, WorkerDependencies } from './dependencies.ts';

export const submitActivities = (deps: ActivityDependencies): Pick<ProviderActivities, 'submit'> => ({
  submit: (args) => guarded(deps.log, args, () => withHeartbeats((signal) => submit(deps, args, signal))),
});

export const collectActivities = (deps: ActivityDependencies): Pick<ProviderActivities, 'collect'> => ({
  collect: (args) => guarded(deps.log, args, () => withHeartbeats((signal) => collect(deps, args, signal))),
});

export const auditActivities = (deps: WorkerDependencies): AuditActivities => ({
  audit: () => guarded(deps.log, {}, () => withHeartbeats((signal) => audit(deps, signal))),
});

export const retentionActivities = (deps: WorkerDependencies): RetentionActivities => ({
  retain: () => guarded(deps.log, {}, () => withHeartbeats((signal) => retain(deps, signal))),
});

export const houseActivities = (deps: ActivityDependencies): HouseActivities => ({
  settle: (args) => guarded(deps.log, args, () => settle(deps, args)),
  release: (args) => guarded(deps.log, args, () => release(deps, args)),
  expire: (args) => guarded(deps.log, args, () => expire(deps, args)),
  giveUp: (args) => guarded(deps.log, args, () => giveUp(deps, args)),
});

export const cleaningActivities = (deps: ActivityDependencies): CleaningActivities => ({
  withdraw: (args) => guarded(deps.log, args, () => withHeartbeats((signal) => withdraw(deps, args, signal))),
});

export const deliveryActivities = (deps: ActivityDependencies): DeliveryActivities => ({
  deliver: (args) => guarded(deps.log, args, () => withHeartbeats((signal) => deliver(deps, args, signal))),
});
