/** `tollgate models list|switch`: what is offered, and what operators have switched of it over the configuration. */
import { type Command, InvalidArgumentError } from 'commander';
import { maintenanceFacts, switchObject } from '../../api/presenters/models.ts';
import type { Model } from '../../domain/catalogue.ts';
import { withSwitches } from '../../domain/accounts/model-switch-rules.ts';
import {
  type MaintenanceSetting,
  maintenanceAt,
  maintenanceNoteCharactersMax,
  oneLine,
} from '../../domain/maintenance.ts';
import type { Configuration } from '../../config/configuration.ts';
import { listModelSwitches, type ModelSwitch, switchModel } from '../../accounts/model-switches.ts';
import type { Database } from '../../postgres/database.ts';
import { withDatabase } from '../administration.ts';
import { moment } from '../options.ts';
import { print, Refusal, show, table } from '../output.ts';
import { reasonOf } from './accounts.ts';
import { addImportCommand } from './import-models.ts';

/** A model of the configuration, what is left switched of one that is gone, or both. */
interface Entry {
  id: string;
  /** As the configuration has it. */
  written: Model | undefined;
  /** As it is in force. */
  model: Model | undefined;
  set: ModelSwitch | undefined;
}

interface SwitchOptions {
  published?: Value;
  maintenance?: Value;
  note?: string;
  until?: Date;
  reason?: string;
  json?: boolean;
}

/** What an option sets; null for `file`. */
interface Value {
  value: boolean | null;
}

export function addModelCommands(program: Command): void {
  const models = program
    .command('models')
    .description('list, publish and unpublish models, put them in maintenance, and import their prices');

  models
    .command('list')
    .description('list the configured models and their overrides')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) =>
      withDatabase(async ({ database, configuration }) => {
        const all = await entriesOf(database, configuration);
        if (json === true)
          print(JSON.stringify({ object: 'list', data: all.map(entryObject), has_more: false, next_cursor: null }));
        else print(table(['MODEL', 'KIND', 'PUBLISHED', 'MAINTENANCE', 'SWITCHED BY', 'WHEN'], all.map(cells)));
      }),
    );

  models
    .command('switch <id>')
    .description('override the configuration in every API process within seconds; options not given are unchanged')
    .option('--published <value>', "true, false, or 'file' to reset to the configuration", valueOf)
    .option('--maintenance <value>', "true, false, or 'file' to reset to the configuration", valueOf)
    .option('--note <text>', 'of a maintenance, for everyone to read: one line of at most 300 characters', noteOf)
    .option('--until <time>', 'when a maintenance ends by itself: ISO 8601, such as 2027-01-31T00:00:00Z', moment)
    .option('--reason <text>', 'stored in the audit log', reasonOf)
    .option('--json', 'print the model as JSON')
    .action(async (id: string, options: SwitchOptions, command: Command) => {
      const { published, maintenance, note, until, reason, json } = options;
      if (!published && !maintenance) command.error("error: specify '--published' or '--maintenance'");
      if ((note !== undefined || until) && maintenance?.value !== true)
        command.error("error: '--note' and '--until' need '--maintenance true'");
      if (until && until <= new Date()) command.error("error: '--until' must be in the future");
      await withDatabase(async ({ database, configuration, by }) => {
        const before = (await entriesOf(database, configuration)).find((entry) => entry.id === id);
        if (!before) throw new Refusal(`Model ${id} not found.`);
        if (!before.written && [published, maintenance].some((one) => one && one.value !== null))
          throw new Refusal(`The configuration has no model ${id}; its overrides can only be reset to 'file'.`);
        await switchModel(by, {
          model: id,
          ...(published && { published: published.value }),
          ...(maintenance && { maintenance: settingOf(maintenance.value, { note, until }) }),
          reason,
        });
        const entry = (await entriesOf(database, configuration)).find((one) => one.id === id) ?? gone(id);
        const [, , isPublished, isMaintained] = cells(entry);
        show(entryObject(entry), json, `${id}  published ${isPublished}  maintenance ${isMaintained}`);
      });
    });

  addImportCommand(models);
}

/** The models in the order of the configuration, then switches that are left of others. */
async function entriesOf(database: Database, { models }: Configuration): Promise<Entry[]> {
  const switches = new Map((await listModelSwitches(database)).map((one) => [one.model, one]));
  const inForce = withSwitches(models, switches);
  const ids = [...models.keys(), ...[...switches.keys()].filter((id) => !models.has(id))];
  return ids.map((id) => ({ id, written: models.get(id), model: inForce.get(id), set: switches.get(id) }));
}

const gone = (id: string): Entry => ({ id, written: undefined, model: undefined, set: undefined });

const entryObject = ({ id, written, model, set }: Entry) => ({
  object: 'model',
  id,
  kind: model?.kind ?? null,
  owned_by: model?.ownedBy ?? null,
  published: model?.published ?? null,
  ...maintenanceNow(model),
  file: written ? { published: written.published, ...maintenanceNow(written) } : null,
  switch: set ? switchObject(set) : null,
});

const cells = ({ id, model, set }: Entry): [string, string, string, string, string, string] => [
  id,
  model?.kind ?? 'not configured',
  inWords(model?.published, set?.published),
  inWords(model && isInMaintenance(model), maintenanceOf(set)),
  set ? (set.setByEmail ?? set.setBy) : '-',
  set ? set.setAt.toISOString().replace(/\.\d+Z$/, 'Z') : '-',
];

const isInMaintenance = ({ maintenance }: Model): boolean => maintenanceAt(maintenance, new Date()) !== false;
const maintenanceOf = (set: ModelSwitch | undefined): boolean | null =>
  set === undefined || set.maintenance === null ? null : set.maintenance !== false;

/** As it is in force; null of a model that is gone. */
const maintenanceNow = (model: Model | undefined) =>
  model
    ? maintenanceFacts(maintenanceAt(model.maintenance, new Date()))
    : { maintenance: null, maintenance_note: null, maintenance_until: null };

function settingOf(
  value: boolean | null,
  { note, until }: { note: string | undefined; until: Date | undefined },
): MaintenanceSetting | null {
  if (value !== true) return value;
  return { ...(note !== undefined && { note }), ...(until && { until }) };
}

function noteOf(text: string): string {
  const note = text.trim();
  if (note !== '' && note.length <= maintenanceNoteCharactersMax && oneLine.test(note)) return note;
  throw new InvalidArgumentError(`Must be one line of 1 to ${maintenanceNoteCharactersMax} characters.`);
}

function inWords(value: boolean | undefined, switched: boolean | null | undefined): string {
  const shown = value ?? switched;
  const word = typeof shown === 'boolean' ? (shown ? 'yes' : 'no') : '-';
  return typeof switched === 'boolean' ? `${word} (switched)` : word;
}

function valueOf(text: string): Value {
  if (text === 'file') return { value: null };
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  throw new InvalidArgumentError("Must be true, false or 'file'.");
}
