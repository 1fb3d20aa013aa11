/** What is set: the environment and `tollgate.yaml`, every mistake a line of its own. Both go on with what can be read. */
import { type SurveyedEnvironment, settingNames, surveyEnvironment } from '../../../config/environment.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { unnamedRatesOf } from '../../../domain/billing/unnamed-rates.ts';
import { checkFiles, loadConfiguration } from '../../../config/load-settings.ts';
import { SettingsError } from '../../../config/setting-errors.ts';
import { providerKinds } from '../../../providers/registry.ts';
import { counted, fail, type Finding, ok, type Verdict, warn } from './finding.ts';

export interface Surroundings {
  env: Record<string, string | undefined>;
  cwd: string;
}

/** Variables that are ours, and no settings: the key for pasted curl lines, and what tests set. */
const ownVariables = /^TOLLGATE_(API_KEY$|TEST_)/;

/** Always has a value: what is mistaken counts as unset there, and is listed as `unread`. */
export async function examineEnvironment({ env, cwd }: Surroundings): Promise<Verdict<SurveyedEnvironment>> {
  const survey = surveyEnvironment(env);
  const files = await linesOf(() => checkFiles(survey.environment, cwd));
  const mistakes = [...survey.mistakes, ...files.lines];
  const given = settingNames.filter((name) => (env[name]?.trim() ?? '') !== '');
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('TOLLGATE_') && !settingNames.some((known) => known === name) && !ownVariables.test(name),
  );
  const findings: Finding[] = mistakes.map((line) =>
    fail('environment', line, 'correct the variable for every process, then restart them'),
  );
  if (mistakes.length === 0)
    findings.push(
      ok('environment', given.length === 0 ? 'nothing is set' : `${given.length} set: ${given.join(', ')}`),
    );
  findings.push(
    ...unknown.map((name) =>
      warn(
        'environment',
        `${name} is not a setting`,
        'check the name for a typo; a variable used in tollgate.yaml is fine',
      ),
    ),
  );
  return { findings, value: survey };
}

/** Without a value where the file has a mistake. */
export async function examineConfiguration({ env, cwd }: Surroundings): Promise<Verdict<Configuration>> {
  const { lines, value } = await linesOf(() => loadConfiguration(env, cwd, providerKinds));
  if (value === undefined) {
    const fix = 'correct the file (or the variable it uses), then send SIGHUP to the processes or restart them';
    return { findings: lines.map((line) => fail('configuration', line, fix)) };
  }
  const { configuration, configurationPath } = value;
  const { models, providers } = configuration;
  const used = new Set([...models.values()].flatMap(({ routes }) => routes.map(({ provider }) => provider)));
  const idle = [...providers.keys()].filter((name) => !used.has(name));
  const has = `${counted(models.size, 'model')}, ${counted(providers.size, 'provider')}`;
  const found = `${configurationPath ?? 'built-in configuration (no tollgate.yaml)'}: ${has}`;
  const findings = [ok('configuration', found)];
  if (idle.length > 0) {
    const fix = 'use them in a route, or remove them';
    findings.push(warn('configuration', `no model uses ${idle.map((name) => `providers.${name}`).join(', ')}`, fix));
  }
  for (const { model, rates } of unnamedRatesOf(models.values(), providers, providerKinds)) {
    const fix = 'add what the provider charges for them, or the same amount as plain tokens to confirm it';
    findings.push(
      warn(
        'configuration',
        `the price of ${model} leaves out ${rates.join(', ')}: such tokens cost what plain ones do`,
        fix,
      ),
    );
  }
  return { findings, value: configuration };
}

async function linesOf<T>(read: () => Promise<T>): Promise<{ lines: readonly string[]; value?: T }> {
  try {
    return { lines: [], value: await read() };
  } catch (error) {
    if (error instanceof SettingsError) return { lines: error.lines };
    throw error;
  }
}
