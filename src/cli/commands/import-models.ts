/** `tollgate models import`: a public price list as entries of `tollgate.yaml`, shown as a diff before anything is written. */
import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { readConfiguration } from '../../config/configuration.ts';
import { SettingsError } from '../../config/setting-errors.ts';
import { loadConfiguration } from '../../config/load-settings.ts';
import { currencyOf, planImport } from '../../config/model-import/plan-import.ts';
import { type Decimal, parseDecimal, wholeDecimal } from '../../domain/exact-decimal.ts';
import { isUnreadable, parseJsonWithin } from '../../domain/json/json-bounds.ts';
import type { PriceList } from '../../domain/price-lists/listed-model.ts';
import { factorOf } from '../../domain/price-lists/price-entry.ts';
import { readPriceList } from '../../domain/price-lists/read-price-list.ts';
import { providerKinds } from '../../providers/registry.ts';
import { chooseModels, vendorsOf } from '../model-import/choose-models.ts';
import { importObject, linesOf, type Plan } from '../model-import/import-report.ts';
import { readText, replaceFile } from '../model-import/replace-file.ts';
import { print, Refusal } from '../output.ts';

interface Options {
  provider?: string;
  from?: string;
  only?: string;
  existing?: boolean;
  rate?: Rate;
  margin?: Decimal;
  write?: boolean;
  json?: boolean;
}

interface Rate {
  text: string;
  value: Decimal;
}

// The two lists have some hundred thousand values.
const valuesMax = 5_000_000;
const listCurrency = 'USD';

export function addImportCommand(models: Command): void {
  models
    .command('import <file>')
    .description(
      'turn a price list (the JSON of models.dev or LiteLLM) into models of tollgate.yaml; shows what would change',
    )
    .option('--provider <name>', 'the provider of tollgate.yaml that the models are routed to')
    .option('--from <vendor>', 'what the list calls that provider')
    .option('--only <pattern>', 'only models whose id fits, such as gpt-5* or *-mini')
    .option('--existing', 'only models that tollgate.yaml already has')
    .option('--rate <amount>', "what one US dollar is in the gateway's currency, such as 7.1", rateOf)
    .option('--margin <percent>', 'added to what the vendor takes to get the price, such as 20', marginOf)
    .option('--write', 'write the changes')
    .option('--json', 'print the changes as JSON')
    .action(async (file: string, options: Options, command: Command) => {
      const refuseUsage = (text: string): never => command.error(`error: ${text}`);
      if (options.from !== undefined && options.provider === undefined)
        refuseUsage("'--from' needs '--provider', the provider that the models are routed to");
      const { configuration, configurationPath } = await loadConfiguration(process.env, process.cwd(), providerKinds);
      if (configurationPath === undefined) {
        throw new Refusal('There is no tollgate.yaml here. Write one with a provider first: prices are added to it.');
      }
      const before = await readText(configurationPath);
      const currency = currencyOf(before);
      if (currency === listCurrency && options.rate)
        refuseUsage(
          `'--rate' has no meaning where the gateway's currency is ${listCurrency}, as in this tollgate.yaml`,
        );
      const { rate } = options;
      if (currency !== listCurrency && !rate) {
        refuseUsage(
          `the list is in ${listCurrency} and this gateway in ${currency}: give '--rate', what one ${listCurrency} is in ${currency}`,
        );
      }
      const list = await readList(file);
      let text = before;
      const plans: Plan[] = [];
      for (const [provider, vendor] of vendorsOf(configuration, list, options)) {
        const { models: chosen, skipped } = chooseModels(configuration, list, { provider, vendor, only: options.only });
        const plan = planImport(text, chosen, {
          provider,
          foreign: rate && { currency: listCurrency, rate: rate.value, rateText: rate.text },
          factor: factorOf(rate?.value ?? wholeDecimal(1n), options.margin ?? wholeDecimal(0n)),
          existingOnly: options.existing === true,
        });
        text = plan.text;
        plans.push({ ...plan, provider, vendor, skipped: [...skipped, ...plan.skipped] });
      }
      const isChanged = plans.some(({ added, changed }) => added.length + changed.length > 0);
      if (isChanged) checkResult(text, basename(configurationPath));
      const isWritten = options.write === true && isChanged;
      if (isWritten) await replaceFile(configurationPath, before, text);
      if (options.json === true) print(JSON.stringify(importObject(list, plans, isWritten)));
      else for (const line of linesOf(plans, { isChanged, isWritten, path: configurationPath })) print(line);
    });
}

/** What would not be valid is neither written nor shown as if it could be. */
function checkResult(text: string, file: string): void {
  try {
    readConfiguration(text, file, process.env, providerKinds);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new Refusal(`With these models the file would not be valid:\n  ${error.lines.join('\n  ')}`);
  }
}

async function readList(file: string): Promise<PriceList> {
  const text = await readText(file);
  let value: unknown;
  try {
    value = parseJsonWithin(text, valuesMax);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw new Refusal(`${file} is not JSON, or has more than ${valuesMax} values.`);
  }
  const list = readPriceList(value, new Date().toISOString().slice(0, 10));
  if (list) return list;
  throw new Refusal(
    `${file} has no known form. It must be the JSON of models.dev (vendors with "models") or LiteLLM's model_prices_and_context_window.json (models with "litellm_provider").`,
  );
}

function rateOf(text: string): Rate {
  const value = parseDecimal(text);
  if (value && value.digits > 0n && /^\d{1,9}(\.\d{1,6})?$/.test(text)) return { text, value };
  throw new InvalidArgumentError('Must be an amount above 0 with at most six decimals, such as 7.1.');
}

function marginOf(text: string): Decimal {
  const value = parseDecimal(text);
  if (value && /^\d{1,5}(\.\d{1,4})?$/.test(text)) return value;
  throw new InvalidArgumentError('Must be a percentage of 0 or more, such as 20.');
}
