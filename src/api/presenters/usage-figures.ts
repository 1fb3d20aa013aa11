/** The sums of a cell of the usage table as callers see them. */
import * as z from 'zod';
import { minus, toAmount } from '../../domain/money.ts';
import type { Charges } from '../../ledger/usage-table.ts';
import type { RequestSums } from '../../request-records/request-sums.ts';
import { usageFields } from './usage.ts';

/** Of an account: what it was charged, as the ledger has it. */
export const chargeFields = usageFields;

export const chargeFigures = (sums: Charges) => ({ ...countsOf(sums), cost: toAmount(sums.revenue) });

/** Of all accounts: what they paid, and what serving them cost. */
export const saleFields = {
  ...usageFields,
  calls_without_cost: z.int(),
  revenue: z.number(),
  revenue_without_cost: z.number(),
  written_off: z.number(),
  margin: z.number().describe('Of the calls and tasks whose cost is known.'),
};

export const saleFigures = (sums: Charges) => ({
  ...countsOf(sums),
  cost: toAmount(sums.cost),
  calls_without_cost: sums.callsWithoutCost,
  revenue: toAmount(sums.revenue),
  revenue_without_cost: toAmount(sums.revenueWithoutCost),
  written_off: toAmount(sums.writtenOff),
  margin: toAmount(minus(minus(sums.revenue, sums.revenueWithoutCost), sums.cost)),
});

/** Of requests that came with a key, refused ones too, as long as they are kept. */
export const requestSumsFields = {
  requests: z.int(),
  errors: z.int().describe('Answered with 400 or above, or left by their caller before an answer.'),
  median_ms: z.int().nullable().describe('Of those that are no errors, within one percent; null: there are none.'),
  p95_ms: z.int().nullable().describe('What 95 of 100 of these did not exceed, likewise.'),
};

export const requestFigures = ({ requests, errors, medianMs, p95Ms }: RequestSums) => ({
  ...{ requests, errors, median_ms: medianMs, p95_ms: p95Ms },
});

/** The figure that a metric of requests is the name of. */
export const requestFigureOf = { errors: 'errors', latency: 'median_ms', p95: 'p95_ms' } as const;

const countsOf = ({ calls, inputTokens, outputTokens, images, seconds, tokens }: Charges) => ({
  ...{ calls, input_tokens: inputTokens, output_tokens: outputTokens, images, seconds, tokens },
});
