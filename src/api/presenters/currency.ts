/** The currency of the amounts beside it. */
import * as z from 'zod';

export const currencyField = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe("The gateway's currency (ISO 4217), which all amounts are in.");
