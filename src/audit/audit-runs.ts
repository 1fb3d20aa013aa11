/** The audit as its Schedule runs it: whether it runs now, when it comes next, and a run that an operator asks for. */
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { GatewayError } from '../domain/errors.ts';
import { scheduleMsMax } from '../temporal/connection.ts';
import { auditScheduleId } from './audit-schedule.ts';
import type { QueueNames } from '../temporal/temporal-names.ts';

/** A Temporal that answers does so in milliseconds. */
const callMsMax = 5_000;

export interface AuditState {
  isRunning: boolean;
  /** An operator has paused the schedule: it runs when it is asked for only. */
  isPaused: boolean;
  nextAt: Date | undefined;
}

export class AuditRuns {
  readonly #client: Client;
  readonly #scheduleId: string;

  constructor(client: Client, queues: QueueNames) {
    this.#client = client;
    this.#scheduleId = auditScheduleId(queues);
  }

  /** How it stands; undefined where no worker has made the schedule yet. Refuses with `not_ready` while Temporal is away. */
  state(): Promise<AuditState | undefined> {
    return this.#asked(scheduleMsMax, async () => {
      const { info, state } = await this.#handle().describe();
      return { isRunning: info.runningActions.length > 0, isPaused: state.paused, nextAt: info.nextActionTimes[0] };
    });
  }

  /**
   * Has an audit run now, unless one runs already; returns which, or undefined where there is no schedule. Refuses with
   * `not_ready` while Temporal is away.
   */
  async start(): Promise<'started' | 'running' | undefined> {
    const before = await this.state();
    if (!before) return undefined;
    if (before.isRunning) return 'running';
    return this.#asked(callMsMax, async () => {
      await this.#handle().trigger(); // two at once are one run: the schedule skips what overlaps
      return 'started' as const;
    });
  }

  #handle() {
    return this.#client.schedule.getHandle(this.#scheduleId);
  }

  async #asked<T>(msMax: number, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#client.withDeadline(Date.now() + msMax, ask);
    } catch (cause) {
      if (cause instanceof ScheduleNotFoundError) return undefined;
      throw new GatewayError('not_ready', 'Temporal, which runs the audit, is unreachable. Try again.', {
        retryAfterSeconds: 5,
        cause,
      });
    }
  }
}
