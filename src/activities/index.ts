/** The activities as two tables: what runs on the queues of providers, and the steps in our own database. */
import type { HouseActivities, ProviderActivities } from './contract.ts';
import { collect } from './collect.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { release, settle } from './end.ts';
import { expire } from './expire.ts';
import { guarded } from './failures.ts';
import { withHeartbeats } from './heartbeat.ts';
import { submit } from './submit.ts';

export type { ActivityDependencies } from './dependencies.ts';

export const submitActivities = (deps: ActivityDependencies): Pick<ProviderActivities, 'submit'> => ({
  submit: (args) => guarded(deps.log, args, () => withHeartbeats((signal) => submit(deps, args, signal))),
});

export const collectActivities = (deps: ActivityDependencies): Pick<ProviderActivities, 'collect'> => ({
  collect: (args) => guarded(deps.log, args, () => withHeartbeats((signal) => collect(deps, args, signal))),
});

export const houseActivities = (deps: ActivityDependencies): HouseActivities => ({
  settle: (args) => guarded(deps.log, args, () => settle(deps, args)),
  release: (args) => guarded(deps.log, args, () => release(deps, args)),
  expire: (args) => guarded(deps.log, args, () => expire(deps, args)),
});
