/** What a row of the usage table sums up, in the order in which it is shown. */
import type { Answer } from '../../api/client.ts';
import type { Unit } from '../measured.tsx';
import type { metricTexts } from './texts.ts';

export type UsageTable = Answer<'getUsageTable'> | Answer<'getAllUsageTable'>;
export type UsageRow = UsageTable['rows'][number];
type Sums = UsageTable['total']['sums'];
export type Figure = keyof typeof metricTexts.en;

const ofCharges: readonly Figure[] = ['calls', 'input_tokens', 'output_tokens', 'images', 'seconds', 'cost'];
const ofSales: readonly Figure[] = ['calls', 'tokens', 'revenue', 'written_off', 'cost', 'margin'];
const ofRequests: readonly Figure[] = ['requests', 'errors', 'median_ms', 'p95_ms'];

/** The figures of a table: of requests, of what all accounts paid, or of what one did. */
export function figuresOf(sums: Sums): readonly Figure[] {
  if ('requests' in sums) return ofRequests;
  return 'margin' in sums ? ofSales : ofCharges;
}

/** A figure's number; null where it has none. */
export function numberOf(sums: Sums, figure: Figure): number | null {
  const numbers: Readonly<Record<string, number | null>> = sums;
  return numbers[figure] ?? null;
}

/** The figure that a metric is the name of. */
export function figureOf(metric: Figure): Figure {
  if (metric === 'latency') return 'median_ms';
  return metric === 'p95' ? 'p95_ms' : metric;
}

const ofTime: readonly Figure[] = ['latency', 'p95', 'median_ms', 'p95_ms'];

/** Whether the figures of groups add up to that of all. */
export const isSum = (figure: Figure): boolean => !ofTime.includes(figure);

export function unitOf(figure: Figure): Unit {
  if (!isSum(figure)) return 'milliseconds';
  return figure === 'cost' || figure === 'revenue' || figure === 'margin' || figure === 'written_off'
    ? 'money'
    : 'count';
}
