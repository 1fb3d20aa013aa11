/** A price list file, whichever of the known forms it has. */
import { z } from 'zod';
import { isLitellm, modelsOfLitellm } from './litellm.ts';
import type { ListedModel, PriceList, SkippedModel } from './listed-model.ts';
import { isModelsDev, modelsOfModelsDev } from './models-dev.ts';

/** Returns the models of a parsed file, or undefined if its form is not known; `today` is `YYYY-MM-DD`. */
export function readPriceList(value: unknown, today: string): PriceList | undefined {
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (!parsed.success) return undefined;
  if (isModelsDev(parsed.data)) return sorted('models.dev', modelsOfModelsDev(parsed.data));
  if (isLitellm(parsed.data)) return sorted('LiteLLM', modelsOfLitellm(parsed.data, today));
  return undefined;
}

const sorted = (form: PriceList['form'], entries: readonly (ListedModel | SkippedModel)[]): PriceList => ({
  form,
  models: entries.filter((entry): entry is ListedModel => !isSkipped(entry)),
  skipped: entries.filter(isSkipped),
});

const isSkipped = (entry: ListedModel | SkippedModel): entry is SkippedModel => 'reason' in entry;
