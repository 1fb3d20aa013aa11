/** What an import would change, or has: a diff for people, an object for scripts. */
import type { PlannedImport } from '../../config/model-import/plan-import.ts';
import { inBraces } from '../../config/model-import/yaml-text.ts';
import type { PriceEntry } from '../../domain/price-lists/price-entry.ts';
import type { PriceList } from '../../domain/price-lists/listed-model.ts';

/** The plan for one provider, and what the list calls that. */
export type Plan = PlannedImport & { provider: string; vendor: string };

/** Returns the lines of all plans. */
export function* linesOf(
  plans: readonly Plan[],
  { isChanged, isWritten, path }: { isChanged: boolean; isWritten: boolean; path: string },
): Iterable<string> {
  for (const { provider, vendor, added, changed, unchanged, skipped, notices } of plans) {
    yield `provider ${provider}${vendor === provider ? '' : ` (${vendor} in the list)`}`;
    for (const { id, price } of added) yield `+ ${id}  ${summaryOf(price)}`;
    for (const { id, changes } of changed) {
      yield `~ ${id}`;
      for (const { path: place, from, to } of changes) yield `    ${place}: ${from ?? '(none)'} -> ${to}`;
    }
    for (const { id, reason } of skipped) yield `- ${id} is left out: ${reason}`;
    for (const text of notices) yield `! ${text}`;
    const counts = [`${added.length} added`, `${changed.length} changed`, `${unchanged.length} unchanged`];
    yield `${counts.join(', ')}, ${skipped.length} left out`;
  }
  if (isWritten) yield `${path} is written. A running gateway reads it on SIGHUP.`;
  else yield isChanged ? "Nothing is written yet: add '--write'." : 'There is nothing to write.';
}

const summaryOf = (price: PriceEntry): string =>
  Object.entries(price)
    .map(([key, value]) => `${key} ${inBraces(value)}`)
    .join(', ');

/** Returns what `--json` prints. */
export const importObject = ({ form }: PriceList, plans: readonly Plan[], isWritten: boolean) => ({
  object: 'models.import',
  form,
  written: isWritten,
  providers: plans.map(({ provider, vendor, added, changed, unchanged, skipped, notices }) => ({
    provider,
    vendor,
    added,
    changed: changed.map(({ id, changes }) => ({
      id,
      changes: changes.map(({ path, from = null, to }) => ({ path, from, to })),
    })),
    unchanged,
    left_out: skipped,
    notices,
  })),
});
