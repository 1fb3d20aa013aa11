/** Counts every run of an activity, local or not, by what it answered: round all that the activity does itself. */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { CancelledFailure, ApplicationFailure } from '@temporalio/common';
import { taskIdPrefixes } from '../domain/ids.ts';
import type { StepMeter } from '../observability/metrics/meters.ts';

/** Worker option `interceptors.activity`. */
export const measuredSteps =
  (meter: StepMeter): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const startedAtMs = performance.now();
        const count = (outcome: string) =>
          meter.count(info.activityType, kindOf(input.args[0]), outcome, performance.now() - startedAtMs);
        try {
          const result = await next(input);
          count(outcomeOf(result));
          return result;
        } catch (error) {
          count(failureOutcomeOf(error));
          throw error;
        }
      },
    },
  });

/** The kind of the task that a step is about, by its id. */
function kindOf(args: unknown): string {
  const id = isObject(args) ? args['taskId'] : undefined;
  const kind = Object.entries(taskIdPrefixes).find(([, prefix]) => typeof id === 'string' && id.startsWith(prefix));
  return kind?.[0] ?? 'none';
}

/** The words of the activities' own results, which `activities/activity-types.ts` names. */
function outcomeOf(result: unknown): string {
  if (!isObject(result)) return 'done';
  if (typeof result['outcome'] === 'string') return result['outcome'];
  if (typeof result['state'] === 'string') return result['state'];
  if (typeof result['delivered'] === 'boolean') return result['delivered'] ? 'delivered' : 'given_up';
  if (typeof result['agrees'] === 'boolean') return result['agrees'] ? 'agrees' : 'disagrees';
  return 'done';
}

function failureOutcomeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'cancelled';
  const type = error instanceof ApplicationFailure ? error.type : undefined;
  return type === 'handed_back' || type === 'come_back_later' ? type : 'error';
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
