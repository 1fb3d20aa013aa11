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

export const webhookAttemptWithAnswer = webhookAttempt.extend({
  /** The beginning of what the receiver answered; null where there was nothing, and for members. */
  answer: z.string().nullable(),
});

export const presentAttempt = ({
  attempt,
  at,
  durationMs,
  status,
  fault,
}: Omit<NumberedAttempt, 'answer'>): z.input<typeof webhookAttempt> => ({
  ...{ attempt, status, fault },
  at: at.toISOString(),
  duration: durationMs / 1000,
});

/** What receivers say may be about the account's secrets: it is for those who see its address. */
export const presentAttemptWithAnswer = (
  { answer, ...attempt }: NumberedAttempt,
  seesAnswer: boolean,
): z.input<typeof webhookAttemptWithAnswer> => ({ ...presentAttempt(attempt), answer: seesAnswer ? answer : null });
