/** All models as operators see them, and what they switch: publishing, and maintenance with its note and end. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import {
  type MaintenanceSetting,
  maintenanceAt,
  maintenanceNoteCharactersMax,
  oneLine,
} from '../../../domain/maintenance.ts';
import { flag, keptText, modelId } from '../../../domain/requests/fields.ts';
import { invalid } from '../../../domain/requests/parse.ts';
import { isKeepable } from '../../../domain/text.ts';
import { listModelSwitches, type ModelSwitch, switchModel } from '../../../accounts/model-switches.ts';
import { maintenanceFacts, switchObject } from '../../presenters/models.ts';
import { operatorCall } from '../console-call.ts';
import { listed, maintenanceFields, modelFields, modelSwitch, whole } from './model-fields.ts';
import { readModels } from './models.ts';

const operatorModel = z.strictObject({
  object: z.literal('operator_model'),
  ...modelFields,
  routes: z.array(z.strictObject({ provider: z.string(), model: z.string() })).describe('In the order of their tries.'),
  file: z.strictObject({ published: z.boolean(), ...maintenanceFields }).describe('As the configuration has it now.'),
  switch: modelSwitch.nullable(),
});

const listOperatorModels = operatorCall({
  method: 'get',
  path: '/operator/models',
  id: 'listOperatorModels',
  summary: 'All models of the configuration: prices, health, routes, and what is switched',
  answer: listed(operatorModel),
  handle: async ({ deps }) => {
    const models = await readModels(deps);
    return whole(
      models.map(({ of, object, own }) => {
        const file = deps.written.models.get(of.id) ?? of;
        return {
          object: 'operator_model' as const,
          ...object,
          routes: of.routes.map((route) => ({ provider: route.provider, model: route.model })),
          file: {
            published: file.published,
            ...maintenanceFacts(maintenanceAt(file.maintenance, new Date())),
          },
          switch: own ? { ...switchObject(own), is_in_file: true } : null,
        };
      }),
    );
  },
});

const listSwitches = operatorCall({
  method: 'get',
  path: '/operator/model-switches',
  id: 'listModelSwitches',
  summary: 'What is switched of models, of those too that the configuration no longer has',
  answer: listed(modelSwitch),
  handle: async ({ deps }) => {
    const switches = await listModelSwitches(deps.database);
    return whole(switches.map((one) => ({ ...switchObject(one), is_in_file: deps.written.models.has(one.model) })));
  },
});

const reasonRule = 'must be a string of at most 500 characters';
const reason = keptText.trim().max(500, reasonRule).nullish();
const noteRule = `must be one line of 1 to ${maintenanceNoteCharactersMax} characters`;
const note = z
  .string(noteRule)
  .trim()
  .min(1, noteRule)
  .max(maintenanceNoteCharactersMax, noteRule)
  .regex(oneLine, noteRule)
  .refine(isKeepable, noteRule)
  .meta({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' });
const untilRule = 'must be an ISO 8601 time with a time zone, such as 2027-01-31T00:00:00Z, in the future';
const until = z.iso.datetime({ offset: true, error: untilRule }).transform((text) => new Date(text));

const change = operatorCall({
  method: 'put',
  path: '/operator/model-switches',
  id: 'switchModel',
  summary: 'Publish a model or not, or put it in maintenance; null goes back to what the configuration says',
  body: z.strictObject({
    model: modelId,
    published: flag.nullable().optional(),
    maintenance: flag.nullable().optional(),
    maintenance_note: note.nullish().describe('For everyone to read, while the maintenance lasts.'),
    maintenance_until: until.nullish().describe('From then on the model is back by itself.'),
    reason,
  }),
  answer: modelSwitch,
  handle: async ({ deps, by, body }) => {
    const { model: id, published, reason: why } = body;
    const maintenance = maintenanceOf(body, new Date());
    if (published === undefined && maintenance === undefined)
      throw invalid('published', "or 'maintenance' is required: true, false, or null to reset to the configuration");
    const isInFile = deps.written.models.has(id);
    const before = await findSwitch(deps, id);
    // What is left of a model that is gone can be removed, and nothing else.
    if (!isInFile && (!before || (published ?? maintenance ?? null) !== null)) throw noModel();
    await switchModel(by, {
      model: id,
      ...(published !== undefined && { published }),
      ...(maintenance !== undefined && { maintenance }),
      ...(typeof why === 'string' && why !== '' && { reason: why }),
    });
    await deps.refreshSwitches();
    const now = await findSwitch(deps, id);
    return { ...(now ? switchObject(now) : nothingSwitched(id)), is_in_file: isInFile };
  },
});

export const operatorModelCalls = [listOperatorModels, listSwitches, change];

interface MaintenanceBody {
  maintenance?: boolean | null | undefined;
  maintenance_note?: string | null | undefined;
  maintenance_until?: Date | null | undefined;
}

/** What a body sets; undefined: nothing. Refuses a note or an end without a maintenance, and an end that is past. */
function maintenanceOf(body: MaintenanceBody, now: Date): MaintenanceSetting | null | undefined {
  const { maintenance, maintenance_note: why, maintenance_until: end } = body;
  if (maintenance !== true) {
    const rule = "is only allowed with 'maintenance': true";
    if (typeof why === 'string') throw invalid('maintenance_note', rule);
    if (end) throw invalid('maintenance_until', rule);
    return maintenance;
  }
  if (end && end <= now) throw invalid('maintenance_until', untilRule);
  return { ...(typeof why === 'string' && { note: why }), ...(end && { until: end }) };
}

const findSwitch = async (
  { database }: { database: Parameters<typeof listModelSwitches>[0] },
  id: string,
): Promise<ModelSwitch | undefined> => (await listModelSwitches(database)).find(({ model: of }) => of === id);

const nothingSwitched = (id: string) => ({
  object: 'model_switch' as const,
  model: id,
  published: null,
  maintenance: null,
  maintenance_note: null,
  maintenance_until: null,
  set_by: null,
  set_by_email: null,
  set_at: null,
});

const noModel = (): GatewayError =>
  new GatewayError('model_not_found', 'The configuration has no such model.', { param: 'model' });
