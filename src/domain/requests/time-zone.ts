/** The time zone that a caller names. */
import { z } from 'zod';
import { timeZoneNamed } from '../time-zone.ts';

const rule = 'must be the name of a time zone, such as Asia/Shanghai or UTC';

/** A zone of the IANA database in its usual spelling; an offset is none. */
export const timeZoneField = z
  .string(rule)
  .meta({ maxLength: 64 })
  .transform((name, context): string => {
    const zone = timeZoneNamed(name);
    if (zone !== undefined) return zone;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });
