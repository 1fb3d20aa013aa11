/** The maintenance of a model: whether it is in force at a moment, and how its calls are refused then. */
import { GatewayError } from './errors.ts';

export interface Maintenance {
  /** Why, for everyone to read. */
  note?: string;
  /** From then on the model is back by itself; without it, when it is switched back. */
  until?: Date;
}

/** A model's maintenance as it is set; false: it has none. */
export type MaintenanceSetting = Maintenance | false;

export const maintenanceNoteCharactersMax = 300;
/** Notes stand in error messages, so they have one line. */
export const oneLine = /^\P{Cc}*$/u;

/** Clients sleep through whatever `Retry-After` says, in silence, so a long maintenance is asked for again meanwhile. */
const retryAfterSecondsMax = 60;

/** Returns the maintenance that is in force `now`; false: calls are taken. */
export const maintenanceAt = (setting: MaintenanceSetting, now: Date): MaintenanceSetting =>
  setting !== false && (setting.until === undefined || setting.until > now) ? setting : false;

/** Returns what a call of the model answers `now`; undefined: it is taken. */
export function maintenanceRefusal(model: string, setting: MaintenanceSetting, now: Date): GatewayError | undefined {
  const inForce = maintenanceAt(setting, now);
  if (inForce === false) return undefined;
  const { note, until } = inForce;
  const end = until === undefined ? '' : ` until ${withoutFraction(until)}`;
  const message = `The model '${model}' is under maintenance${end}.${note === undefined ? '' : ` ${note}`}`;
  const secondsLeft = until === undefined ? Infinity : Math.ceil((until.getTime() - now.getTime()) / 1000);
  return new GatewayError('model_in_maintenance', message, {
    retryAfterSeconds: Math.min(retryAfterSecondsMax, secondsLeft),
  });
}

/** Whether two settings say the same. */
export const isSameMaintenance = (one: MaintenanceSetting, other: MaintenanceSetting): boolean =>
  one === false || other === false
    ? one === other
    : one.note === other.note && one.until?.getTime() === other.until?.getTime();

const withoutFraction = (moment: Date): string => moment.toISOString().replace(/\.\d+Z$/, 'Z');
