/** What operators have switched of models: one row each, logged as an administrative act by the transaction that writes it. */
import type pg from 'pg';
import * as z from 'zod';
import type { Switches } from '../domain/accounts/model-switch-rules.ts';
import { isSameMaintenance, type MaintenanceSetting } from '../domain/maintenance.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { computed, row, type RowOf } from '../postgres/row.ts';

const switchColumns = {
  model: z.string(),
  published: z.boolean().nullable(),
  maintenance: z.boolean().nullable(),
  maintenanceNote: z.string().nullable(),
  maintenanceUntil: z.date().nullable(),
};
const switchesRow = row(switchColumns).as(withMaintenance);
const switchRow = row({
  ...switchColumns,
  /** As in the audit log. */
  setBy: z.string(),
  setAt: z.date(),
  /** Of a person who set it. */
  setByEmail: computed('p.email', z.string().nullable()),
}).as(withMaintenance);
export type ModelSwitch = RowOf<typeof switchRow>;

/** What is not named stays; null goes back to what the configuration says. */
export interface SwitchChange extends Partial<Switches> {
  model: string;
  reason?: string | undefined;
}

/** What is switched of which model, and nothing else: what every API process asks again and again. */
export async function readSwitches(database: Database): Promise<Map<string, Switches>> {
  const { rows } = await database.pool.query({
    name: 'read-model-switches',
    text: `select ${switchesRow.columns} from model_switches order by model`,
  });
  return new Map(
    rows.map((row) => {
      const { model, ...switches } = switchesRow.parse(row);
      return [model, switches];
    }),
  );
}

/** All switches, with who set them; those of models that are in no configuration any more, too. */
export async function listModelSwitches(database: Database): Promise<ModelSwitch[]> {
  const { rows } = await database.pool.query(
    `select ${switchRow.columnsOf('s')}
     from model_switches s left join people p on s.set_by = 'person:' || p.id order by s.model`,
  );
  return rows.map((row) => switchRow.parse(row));
}

interface MaintenanceColumns {
  maintenance: boolean | null;
  maintenanceNote: string | null;
  maintenanceUntil: Date | null;
}

/** Makes one value of the columns of a maintenance. */
function withMaintenance<Columns extends MaintenanceColumns>({
  maintenance,
  maintenanceNote: note,
  maintenanceUntil: until,
  ...rest
}: Columns): Omit<Columns, keyof MaintenanceColumns> & { maintenance: MaintenanceSetting | null } {
  const set = { ...(note !== null && { note }), ...(until !== null && { until }) };
  return { ...rest, maintenance: maintenance === true ? set : maintenance };
}

/** Switches a model, in one transaction with its act. What changes nothing is not logged. */
export async function switchModel(by: Administrator, { model, reason, ...change }: SwitchChange): Promise<void> {
  await administer(by, async (client) => {
    // Against other operators; readers are not held up.
    await client.query('lock table model_switches in share row exclusive mode');
    const before = await switchesOf(client, model);
    const next = {
      published: change.published === undefined ? before.published : change.published,
      maintenance: change.maintenance === undefined ? before.maintenance : change.maintenance,
    };
    if (next.published === before.published && isSame(next.maintenance, before.maintenance)) return undefined;
    await write(client, by, model, next);
    const details = { model, published: inWords(next.published), ...maintenanceInWords(next.maintenance) };
    return {
      act: { action: 'model.switched', account: null, subject: null, details, ...(reason !== undefined && { reason }) },
      outcome: true,
    };
  });
}

async function switchesOf(client: pg.ClientBase, model: string): Promise<Switches> {
  const { rows } = await client.query(`select ${switchesRow.columns} from model_switches where model = $1`, [model]);
  return rows[0] === undefined ? { published: null, maintenance: null } : switchesRow.parse(rows[0]);
}

async function write(client: pg.ClientBase, by: Administrator, model: string, next: Switches): Promise<void> {
  const { published, maintenance } = next;
  const { note, until } = maintenance === null || maintenance === false ? {} : maintenance;
  if (published === null && maintenance === null) {
    await client.query('delete from model_switches where model = $1', [model]);
    return;
  }
  await client.query(
    `insert into model_switches (model, published, maintenance, maintenance_note, maintenance_until, set_by, set_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp())
     on conflict (model) do update set published = excluded.published, maintenance = excluded.maintenance,
       maintenance_note = excluded.maintenance_note, maintenance_until = excluded.maintenance_until,
       set_by = excluded.set_by, set_at = excluded.set_at`,
    [model, published, maintenance === null ? null : maintenance !== false, note ?? null, until ?? null, by.actor],
  );
}

const isSame = (one: MaintenanceSetting | null, other: MaintenanceSetting | null): boolean =>
  one === null || other === null ? one === other : isSameMaintenance(one, other);

/** For the log: the note and the end only where there are some. */
function maintenanceInWords(setting: MaintenanceSetting | null): Record<string, string> {
  if (setting === null || setting === false) return { maintenance: inWords(setting) };
  const { note, until } = setting;
  return {
    maintenance: 'true',
    ...(note !== undefined && { maintenance_note: note }),
    ...(until !== undefined && { maintenance_until: until.toISOString() }),
  };
}

const inWords = (value: boolean | null): string => (value === null ? 'file' : String(value));
