/**
 * A task provider whose adapter can be replaced while tasks hold on to it. Collecting a task may take an hour, and each
 * poll of it goes to the adapter that is in force then: to the address and with the credentials that the settings have now.
 */
import { noOutputs } from '../domain/tasks/image-outputs.ts';
import type { TaskProvider } from '../providers/contract.ts';

export interface Adapter {
  current: TaskProvider;
}

/** A provider that hands each step to the current adapter, and has the steps that the adapter of now has. */
export function replaceableProvider(adapter: Adapter): TaskProvider {
  const now = adapter.current;
  return {
    get abilities() {
      return adapter.current.abilities;
    },
    ...(now.pollPauseMsMax !== undefined && { pollPauseMsMax: now.pollPauseMsMax }),
    submit: (job, signal) => adapter.current.submit(job, signal),
    ...(now.prepare && { prepare: (job, signal) => there(adapter.current.prepare?.(job, signal)) }),
    poll: (jobId, job, signal) => adapter.current.poll(jobId, job, signal),
    ...(now.answersWithResult && { answersWithResult: (job) => adapter.current.answersWithResult?.(job) === true }),
    ...(now.resultOf && { resultOf: (answer, job) => there(adapter.current.resultOf?.(answer, job)) }),
    ...(now.cancel && { cancel: (jobId, job, signal) => there(adapter.current.cancel?.(jobId, job, signal)) }),
    ...(now.find && { find: (job, signal) => there(adapter.current.find?.(job, signal)) }),
    ...(now.jobIdOf && { jobIdOf: (hookBody) => adapter.current.jobIdOf?.(hookBody) }),
    imageOutputs: (route) => adapter.current.imageOutputs?.(route) ?? noOutputs,
    ...(now.probe && { probe: (signal) => there(adapter.current.probe?.(signal)) }),
  };
}

/** Adapters of one kind have the same steps, so this fails only for one that doesn't keep to that. */
function there<T>(step: Promise<T> | undefined): Promise<T> {
  return step ?? Promise.reject(new Error('the provider does not offer this any more'));
}
