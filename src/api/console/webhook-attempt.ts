/** One attempt to deliver an event, as the console shows it. */
import * as z from 'zod';
import type { NumberedAttempt } from '../../webhooks/event-log.ts';

export const webhookAttempt = z.strictObject({
  attempt: z.int(),
  at: z.iso.datetime(),
  /** Seconds. */
  duration: z.number(),
  /** Of the answer, if there was one. */
  status: z.int().nullable(),
  /** Why there was none. */
  fault: z.string().nullable(),
});

export const presentAttempt = ({
  attempt,
  at,
  durationMs,
  status,
  fault,
}: NumberedAttempt): z.input<typeof webhookAttempt> => ({
  ...{ attempt, status, fault },
  at: at.toISOString(),
  duration: durationMs / 1000,
});
