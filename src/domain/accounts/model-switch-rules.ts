/** What operators switch of models while the gateway runs, over what the configuration says. */
import type { Model } from '../catalogue.ts';
import { isSameMaintenance, type MaintenanceSetting } from '../maintenance.ts';

/** Null leaves it at what the configuration says. */
export interface Switches {
  published: boolean | null;
  maintenance: MaintenanceSetting | null;
}

/** The models with the switches in force, by their ids. Those that nothing changes are themselves, and so is the whole map. */
export function withSwitches(
  models: ReadonlyMap<string, Model>,
  switches: ReadonlyMap<string, Switches>,
): ReadonlyMap<string, Model> {
  let changed: Map<string, Model> | undefined;
  for (const [id, { published, maintenance }] of switches) {
    const model = models.get(id);
    if (!model) continue;
    const next = {
      ...model,
      published: published ?? model.published,
      maintenance: maintenance ?? model.maintenance,
    };
    if (next.published === model.published && isSameMaintenance(next.maintenance, model.maintenance)) continue;
    changed ??= new Map(models);
    changed.set(id, next); // keeps its place
  }
  return changed ?? models;
}
