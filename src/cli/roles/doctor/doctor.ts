/** The checks of `tollgate doctor`, in the order of its report. Nothing is changed but one file, which is removed again. */
import { resolve } from 'node:path';
import { findFact } from '../../../postgres/installation.ts';
import { deriveKeys } from '../../../config/secrets.ts';
import { queueNames } from '../../../temporal/temporal-names.ts';
import { examineApi, examinePublicUrl, examineService } from './check-addresses.ts';
import { examineBlobStore } from './check-blob-store.ts';
import { examineCurrency, examineDatabase, examineMigrations, examineSecret } from './check-database.ts';
import { Examination, type Need, Ungrounded } from './examination.ts';
import { type Finding, skip } from './finding.ts';
import { examineDataFolder, examineProgram, examineSecretFile } from './check-machine.ts';
import { examineProviders } from './check-providers.ts';
import { Blotter } from './reason.ts';
import { examineServers } from './check-servers.ts';
import { examineConfiguration, examineEnvironment, type Surroundings } from './check-settings.ts';
import { examineNamespace, examinePartitions, examineSearchAttributes, examineTemporal } from './check-temporal.ts';
import { examineSchedules, examineWorkers } from './check-workers.ts';

export interface DoctorOptions extends Surroundings {
  version: string;
  /** Called with each finding in its order, as soon as it is known. */
  onFinding: (finding: Finding) => void;
  /** How long one check may take; tests make it short. */
  stepMs?: number;
}

/** Runs every check, and returns what was found. */
export async function examineEverything({
  env,
  cwd,
  version,
  onFinding,
  stepMs,
}: DoctorOptions): Promise<readonly Finding[]> {
  const blotter = new Blotter();
  blotter.addVariables(env);
  const findings: Finding[] = [];
  const report = (finding: Finding) => {
    const { fix } = finding;
    const clean = {
      ...finding,
      found: blotter.blotted(finding.found),
      ...(fix !== undefined && { fix: blotter.blotted(fix) }),
    };
    findings.push(clean);
    onFinding(clean);
  };
  const exam = new Examination(report, stepMs);
  const nothing = () => Promise.resolve(undefined);

  exam.step('program', nothing, () => Promise.resolve(examineProgram(version, process.versions.node)));
  const survey = exam.step('environment', nothing, async () => {
    const verdict = await examineEnvironment({ env, cwd });
    if (verdict.value) blotter.addSettings(verdict.value.environment);
    return verdict;
  });
  const configuration = exam.step('configuration', nothing, async () => {
    const verdict = await examineConfiguration({ env, cwd });
    if (verdict.value) blotter.addConfiguration(verdict.value);
    return verdict;
  });
  /** The settings, for a check that goes by these variables: one that can't be read says so, rather than look at a default. */
  const settingsOf = async (need: Need, ...names: string[]) => {
    const { environment, unread } = await need(survey);
    const missing = names.find((name) => unread.has(name));
    if (missing !== undefined) throw new Ungrounded(missing);
    return environment;
  };
  const folderOf = ({ dataDir }: { dataDir: string }) => resolve(cwd, dataDir);

  const folder = exam.step(
    'data folder',
    (need) => settingsOf(need),
    (settings) => examineDataFolder(folderOf(settings)),
  );
  exam.step(
    'blob store',
    async (need) => ({
      settings: await settingsOf(need, 'S3_BUCKET', 'S3_ENDPOINT', 'S3_REGION'),
      hasFolder: (await folder.value) !== undefined,
    }),
    ({ settings, hasFolder }) => examineBlobStore({ ...settings, dataDir: folderOf(settings) }, hasFolder),
  );
  const servers = exam.step(
    'servers',
    (need) => need(survey),
    (found) => examineServers(found, folderOf(found.environment)),
  );

  const reached = exam.step(
    'database',
    async (need) => ({ settings: await settingsOf(need, 'DATABASE_URL'), known: await need(servers) }),
    ({ settings, known }) =>
      examineDatabase(known.databaseUrl, {
        isOurs: settings.databaseUrl === undefined,
        onOpen: (database) => exam.onEnd(() => database.close()),
      }),
  );
  const migrated = exam.step(
    'migrations',
    async (need) => ({ settings: await settingsOf(need), ...(await need(reached)) }),
    ({ settings, database }) => examineMigrations(database, { isOurs: settings.databaseUrl === undefined }),
  );
  const secrets = exam.step(
    'secret file',
    (need) => settingsOf(need, 'TOLLGATE_SECRET'),
    (settings) => examineSecretFile(folderOf(settings), settings.secrets),
  );
  const fitting = exam.step(
    'secret',
    async (need) => {
      const texts = await need(secrets);
      await need(migrated);
      return { texts, database: (await need(reached)).database };
    },
    ({ texts, database }) => examineSecret(database, texts),
  );
  exam.step(
    'currency',
    async (need) => {
      const { currency: wanted } = await need(configuration);
      await need(migrated);
      return { wanted, database: (await need(reached)).database };
    },
    ({ wanted, database }) => examineCurrency(database, wanted),
  );
  const installation = exam.step(
    'queues',
    async (need) => {
      await need(migrated);
      return need(reached);
    },
    async ({ database, now }) => {
      const [prefix, publicUrl] = await Promise.all([
        findFact(database, 'queue_prefix'),
        findFact(database, 'public_url'),
      ]);
      if (prefix === undefined) return { findings: [skip('queues', 'no process has used this database yet')] };
      return { findings: [], value: { queues: queueNames(prefix), publicUrl, database, now } };
    },
  );

  const temporal = exam.step(
    'temporal',
    async (need) => ({
      settings: await settingsOf(need, 'TEMPORAL_ADDRESS', 'TEMPORAL_TLS'),
      known: await need(servers),
    }),
    ({ settings, known }) =>
      examineTemporal(settings.temporal, known.temporalAddress, (connection) => exam.onEnd(() => connection.close())),
  );
  const namespace = exam.step(
    'namespace',
    async (need) => ({ settings: await settingsOf(need, 'TEMPORAL_NAMESPACE'), client: await need(temporal) }),
    ({ settings, client }) => examineNamespace(client, settings.temporal.address === undefined),
  );
  const inNamespace = async (need: Need) => {
    await need(namespace);
    return need(temporal);
  };
  exam.step('search attributes', inNamespace, (client) => examineSearchAttributes(client));
  exam.step(
    'dynamic config',
    async (need) => ({ client: await inNamespace(need), facts: await need(installation) }),
    ({ client, facts }) => examinePartitions(client, facts.queues),
  );
  exam.step(
    'workers',
    async (need) => ({
      client: await inNamespace(need),
      facts: await need(installation),
      models: (await configuration.value)?.value,
    }),
    ({ client, facts, models }) => examineWorkers(client, facts, models),
  );
  exam.step(
    'schedules',
    async (need) => ({
      client: await inNamespace(need),
      facts: await need(installation),
      texts: (await fitting.value)?.value && (await secrets.value)?.value,
    }),
    ({ client, facts, texts }) =>
      examineSchedules(client, { ...facts, ledgerKeys: texts && deriveKeys(texts).ledgerKeys }),
  );

  exam.step('providers', (need) => need(configuration), examineProviders);
  exam.step(
    'api',
    async (need) => ({ settings: await settingsOf(need, 'PORT', 'HOST'), known: (await servers.value)?.value }),
    ({ settings, known }, signal) => examineApi(settings, known?.gatewayUrl, signal),
  );
  exam.step(
    'public url',
    async (need) => ({
      settings: await settingsOf(need, 'PUBLIC_URL', 'TOLLGATE_TRUSTED_PROXIES'),
      recorded: (await installation.value)?.value.publicUrl,
      models: (await configuration.value)?.value,
    }),
    ({ settings, recorded, models }, signal) => examinePublicUrl(settings, { recorded, configuration: models }, signal),
  );
  exam.step(
    'temporal ui',
    async (need) => ({
      settings: await settingsOf(need, 'TOLLGATE_TEMPORAL_UI_URL'),
      known: (await servers.value)?.value,
    }),
    ({ settings, known }, signal) => {
      const url = settings.temporal.uiUrl ?? known?.temporalUiUrl;
      const loss = "the console's links to workflows don't work";
      return examineService({ name: 'temporal ui', setting: 'TOLLGATE_TEMPORAL_UI_URL', url, loss }, signal);
    },
  );
  exam.step(
    'traces',
    (need) => settingsOf(need, 'OTEL_EXPORTER_OTLP_ENDPOINT'),
    ({ traces }, signal) => {
      const loss = 'traces are lost';
      return examineService(
        { name: 'traces', setting: 'OTEL_EXPORTER_OTLP_ENDPOINT', url: traces?.endpoint, loss },
        signal,
      );
    },
  );
  await exam.done();
  return findings;
}
