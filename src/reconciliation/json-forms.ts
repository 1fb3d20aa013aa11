/**
 * The JSON that vendors' own APIs answer with: pages as they came, alone, in a list, or one a line. OpenAI's organization
 * usage and costs, Anthropic's usage and cost reports, fal's billing events and usage, Replicate's predictions.
 */
import { z } from 'zod';
import { type Decimal, decimalOfNumber, parseDecimal } from '../domain/exact-decimal.ts';
import type { BilledExport, BilledRow, TokenSums } from '../domain/reconciliation/billed-row.ts';
import { ExportFault } from './export-fault.ts';

const count = z.int().min(0);
const text = z.string().nullish();
const unixSeconds = z.int().transform((seconds) => new Date(seconds * 1000));
const moment = z.string().transform((written, context) => {
  const date = new Date(written);
  if (!Number.isNaN(date.getTime())) return date;
  context.addIssue('must be a time in ISO 8601');
  return z.NEVER;
});
const amount = z.union([z.number(), z.string()]).transform((written, context): Decimal => {
  const decimal = typeof written === 'number' ? decimalOfNumber(written) : parseDecimal(written.trim());
  if (decimal) return decimal;
  context.addIssue('must be a decimal number');
  return z.NEVER;
});
const currency = z.string().transform((code) => code.toUpperCase());

/** A row of a form, before its place is added. */
type Read = Omit<BilledRow, 'place'> & { currency?: string };

interface JsonForm {
  form: string;
  /** Whether a page looks like it. */
  fits: (page: Record<string, unknown>) => boolean;
  /** Throws a ZodError that names the place. */
  read: (page: Record<string, unknown>) => Read[];
}

const openAiUsage = z.object({
  data: z.array(
    z.object({
      start_time: unixSeconds,
      results: z.array(
        z.object({
          input_tokens: count,
          output_tokens: count,
          input_cached_tokens: count.nullish(),
          num_model_requests: count.nullish(),
          model: text,
          api_key_id: text,
        }),
      ),
    }),
  ),
});
const openAiCosts = z.object({
  data: z.array(
    z.object({
      start_time: unixSeconds,
      results: z.array(z.object({ amount: z.object({ value: amount, currency }), line_item: text, api_key_id: text })),
    }),
  ),
});
const anthropicUsage = z.object({
  data: z.array(
    z.object({
      starting_at: moment,
      results: z.array(
        z.object({
          uncached_input_tokens: count,
          cache_read_input_tokens: count.nullish(),
          cache_creation: z
            .object({ ephemeral_5m_input_tokens: count.nullish(), ephemeral_1h_input_tokens: count.nullish() })
            .nullish(),
          output_tokens: count,
          model: text,
          api_key_id: text,
        }),
      ),
    }),
  ),
});
const anthropicCosts = z.object({
  data: z.array(z.object({ starting_at: moment, results: z.array(z.object({ amount, currency, model: text })) })),
});
const falEvents = z.object({
  billing_events: z.array(
    z.object({
      request_id: z.string(),
      endpoint_id: z.string(),
      timestamp: moment,
      cost_total: amount.nullish(),
      cost_estimate_nano_usd: count.nullish(),
    }),
  ),
});
const falUsage = z.object({
  time_series: z.array(
    z.object({
      bucket: moment,
      results: z.array(z.object({ endpoint_id: z.string(), cost: amount, currency: currency.nullish() })),
    }),
  ),
});
const replicatePredictions = z.object({
  results: z.array(z.object({ id: z.string(), model: text, created_at: moment, metrics: z.looseObject({}).nullish() })),
});

const forms: readonly JsonForm[] = [
  {
    form: 'OpenAI costs',
    fits: (page) => page['object'] === 'page' && hasResult(page, 'amount'),
    read: (page) =>
      openAiCosts.parse(page).data.flatMap(({ start_time: at, results }) =>
        results.map(({ amount: { value, currency }, line_item: item, api_key_id: key }) => ({
          ...{ at, tokens: {}, cost: value, currency },
          // `gpt-4o-2024-08-06, cached input`: the model before what of it is billed.
          ...(item && { model: item.split(', ')[0] ?? item }),
          ...(key && { key }),
        })),
      ),
  },
  {
    form: 'OpenAI usage',
    fits: (page) => page['object'] === 'page' && hasResult(page, 'input_tokens'),
    read: (page) =>
      openAiUsage.parse(page).data.flatMap(({ start_time: at, results }) =>
        results.map(({ input_tokens: input, output_tokens: output, ...rest }) => ({
          at,
          ...(rest.model && { model: rest.model }),
          ...(rest.api_key_id && { key: rest.api_key_id }),
          ...(typeof rest.num_model_requests === 'number' && { calls: rest.num_model_requests }),
          tokens: { input, output, ...given('cachedInput', rest.input_cached_tokens) },
        })),
      ),
  },
  {
    form: 'Anthropic usage',
    fits: (page) => hasResult(page, 'uncached_input_tokens'),
    read: (page) =>
      anthropicUsage.parse(page).data.flatMap(({ starting_at: at, results }) =>
        results.map(({ uncached_input_tokens: fresh, cache_read_input_tokens: read, cache_creation, ...rest }) => {
          const [short, long] = [cache_creation?.ephemeral_5m_input_tokens, cache_creation?.ephemeral_1h_input_tokens];
          const [cachedInput, cacheWrite] = [read ?? 0, (short ?? 0) + (long ?? 0)];
          return {
            at,
            ...(rest.model && { model: rest.model }),
            ...(rest.api_key_id && { key: rest.api_key_id }),
            tokens: { input: fresh + cachedInput + cacheWrite, cachedInput, cacheWrite, output: rest.output_tokens },
          };
        }),
      ),
  },
  {
    form: 'Anthropic costs',
    fits: (page) => hasBucket(page, 'starting_at') && hasResult(page, 'amount'),
    read: (page) =>
      anthropicCosts.parse(page).data.flatMap(({ starting_at: at, results }) =>
        results.map(({ amount: { digits, scale }, currency, model }) => ({
          // The amount is in the lowest unit, which are cents.
          ...{ at, tokens: {}, cost: { digits, scale: scale + 2 }, currency },
          ...(model && { model }),
        })),
      ),
  },
  {
    form: 'fal billing events',
    fits: (page) => Array.isArray(page['billing_events']),
    read: (page) =>
      falEvents.parse(page).billing_events.map((event) => {
        const nano = event.cost_estimate_nano_usd;
        const cost = event.cost_total ?? (typeof nano === 'number' ? { digits: BigInt(nano), scale: 9 } : undefined);
        const { request_id: id, endpoint_id: model, timestamp: at } = event;
        return { at, id, model, calls: 1, tokens: {}, ...(cost && { cost, currency: 'USD' }) };
      }),
  },
  {
    form: 'fal usage',
    fits: (page) => Array.isArray(page['time_series']),
    read: (page) =>
      falUsage.parse(page).time_series.flatMap(({ bucket: at, results }) =>
        results.map(({ endpoint_id: model, cost, currency }) => ({
          ...{ at, model, tokens: {}, cost, currency: currency ?? 'USD' },
        })),
      ),
  },
  {
    // It says what ran and for how long, and not what that cost.
    form: 'Replicate predictions',
    fits: (page) =>
      Array.isArray(page['results']) && isRecord(page['results'][0]) && 'created_at' in page['results'][0],
    read: (page) =>
      replicatePredictions
        .parse(page)
        .results.filter(({ metrics }) => metrics && 'predict_time' in metrics)
        .map(({ id, model, created_at: at }) => ({ id, at, calls: 1, tokens: {}, ...(model && { model }) })),
  },
];

/** Reads all pages of a file. Throws an ExportFault for an unknown form, and for what a form doesn't allow. */
export function readJsonExport(value: unknown): BilledExport {
  const pages = (Array.isArray(value) ? value : [value]).filter(isRecord);
  const form = forms.find(({ fits }) => pages.some(fits));
  if (!form) {
    const names = forms.map(({ form }) => form).join(', ');
    throw new ExportFault(`the JSON has no known form, or no rows. Known are the answers of ${names}`);
  }
  const currencies = new Set<string>();
  const rows: BilledRow[] = [];
  for (const [number, page] of pages.entries()) {
    for (const { currency, ...row } of readPage(form, page, number)) {
      if (currency !== undefined) currencies.add(currency);
      rows.push({ ...row, place: `row ${rows.length + 1}` });
    }
  }
  if (currencies.size > 1) throw new ExportFault(`costs are in several currencies: ${[...currencies].join(', ')}`);
  return { form: form.form, currency: [...currencies][0], rows, dayOffsetMinutes: 0 };
}

function readPage({ form, read }: JsonForm, page: Record<string, unknown>, number: number): Read[] {
  try {
    return read(page);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    throw new ExportFault(
      `page ${number + 1} is none of ${form}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const bucketsOf = (page: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(page['data']) ? page['data'].filter(isRecord) : [];

const hasBucket = (page: Record<string, unknown>, key: string): boolean => bucketsOf(page).some((one) => key in one);

const hasResult = (page: Record<string, unknown>, key: string): boolean =>
  bucketsOf(page).some(({ results }) => Array.isArray(results) && results.some((one) => isRecord(one) && key in one));

const given = (name: keyof TokenSums, value: number | null | undefined): Partial<TokenSums> =>
  typeof value === 'number' ? { [name]: value } : {};
