/** What an account sets of the recording of its bodies, parsed. */
import { z } from 'zod';
import { isKeepable } from '../text.ts';

/** Of an account whose bodies are recorded. */
export interface BodyRules {
  retentionDays: number;
  /** Names of JSON fields whose values are left out, at any depth and in any case. */
  redactedFields: readonly string[];
}

export const bodyDaysMax = 30;
const fieldsMax = 50;
const fieldCharactersMax = 64;

export const bodyRulesDefault: BodyRules = {
  retentionDays: 7,
  redactedFields: [
    ...['password', 'passwd', 'secret', 'client_secret', 'authorization', 'api_key', 'apikey', 'access_token'],
    ...['refresh_token', 'private_key', 'cookie', 'credit_card', 'card_number', 'cvv'],
  ],
};

const daysRule = `must be a whole number from 1 to ${bodyDaysMax}`;
const fieldsRule = `must be an array of at most ${fieldsMax} names of 1 to ${fieldCharactersMax} characters`;
const fieldName = z
  .string(fieldsRule)
  .transform((name) => name.trim())
  .refine((name) => name !== '' && name.length <= fieldCharactersMax && isKeepable(name), fieldsRule);

/** What is not named stays. */
export const bodyRecordingChanges = z.strictObject({
  record_bodies: z.boolean('must be true or false').optional(),
  retention_days: z.int(daysRule).min(1, daysRule).max(bodyDaysMax, daysRule).optional(),
  redacted_fields: z
    .array(fieldName, fieldsRule)
    .max(fieldsMax, fieldsRule)
    .transform((names) => [...new Set(names)])
    .optional(),
});
