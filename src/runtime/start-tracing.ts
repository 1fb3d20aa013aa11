/** Traces, if the settings name a collector; without one nothing of OpenTelemetry is loaded. */
import type { Logger } from 'pino';
import { Mask } from '../observability/logging/mask.ts';
import { knownSecrets } from '../config/known-secrets.ts';
import type { Settings } from '../config/load-settings.ts';
import { attributeNames as names } from '../observability/tracing/span-names.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import type { ActivityDependencies } from '../activities/dependencies.ts';

export async function tracingOf(settings: Settings, log: Logger): Promise<Tracing | undefined> {
  const { traces } = settings.environment;
  if (!traces) return undefined;
  const { openTracing } = await import('../observability/tracing/open-tracing.ts');
  return openTracing(traces, {
    mask: new Mask(knownSecrets(settings)).applied,
    onExportError: (error, lostSpans) =>
      log.warn({ err: error, lostSpans }, 'the collector takes no traces; nothing else is held up by it'),
  });
}

type Post = ActivityDependencies['webhooks']['post'];

/** Each attempt to deliver an event is a client span; where to is the customer's matter. */
export const tracedPost =
  (tracing: Tracing, post: Post): Post =>
  (request, signal) =>
    tracing.during('webhook POST', 'client', { [names.event]: request.id }, async (span) => {
      const outcome = await post(request, signal);
      span.set({ [names.outcome]: outcome.verdict, [names.status]: outcome.status ?? undefined });
      if (outcome.verdict !== 'delivered') span.fail(outcome.status === null ? 'no answer' : String(outcome.status));
      return outcome;
    });
