/** What the form would hold as it stands: asked for a moment after the last change. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useLate } from '../../../parts/use-late.ts';

export type Quote = components['schemas']['Quote'];
type QuotedPath = components['schemas']['QuoteRequest']['path'];

/** Without a body nothing is asked. */
export function useQuote(path: QuotedPath, body: Record<string, unknown> | undefined) {
  const account = useAccountId();
  const now = body === undefined ? '' : JSON.stringify(body);
  const text = useLate(now);
  const asked = useQuery({
    queryKey: ['playground-quote', account, path, text],
    queryFn: async ({ signal }) => {
      const params = { path: { account } };
      const written: unknown = JSON.parse(text);
      if (!isRecord(written)) return null;
      return (
        (await api.POST('/console/api/accounts/{account}/v1/quotes', { params, body: { path, body: written }, signal }))
          .data ?? null
      );
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  /** `isOld`: the form has changed since. */
  return { data: asked.data, error: asked.error, isOld: now !== text || asked.isPlaceholderData };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
