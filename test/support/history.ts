/** Recorded workflow histories: to JSON, back again, and looking into them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;
type History = proto.temporal.api.history.v1.IHistory;

/** A history as JSON. The SDK's own converter trips over the two copies of protobufjs that it is installed with. */
export const historyJson = (history: History): HistoryJson =>
  History.toObject(History.fromObject(history), { enums: String, longs: String, bytes: String }) as HistoryJson;

export const readHistory = (json: HistoryJson): History => History.fromObject(json);

export interface HistoryJson {
  events: EventJson[];
}
export type EventJson = { eventType: string } & Record<string, unknown>;

/** The activities of a history in the order of their commands, local ones too. */
export function activitiesOf({ events }: HistoryJson): string[] {
  return events.flatMap((event) => {
    const scheduled = event['activityTaskScheduledEventAttributes'] as { activityType: { name: string } } | undefined;
    if (scheduled) return [scheduled.activityType.name];
    const marker = event['markerRecordedEventAttributes'] as
      | { markerName: string; details: { data: { payloads: PayloadJson[] } } }
      | undefined;
    if (marker?.markerName !== 'core_local_activity') return [];
    const data = marker.details.data.payloads.map(textOf).join('');
    return [(JSON.parse(data) as { activity_type: string }).activity_type];
  });
}

/** What the activities and timers of a history tell operators of themselves, in their order. */
export const summariesOf = ({ events }: HistoryJson): string[] =>
  events.flatMap((event) => {
    const metadata = event['userMetadata'] as { summary?: PayloadJson } | undefined;
    const isStep = /_(ACTIVITY_TASK_SCHEDULED|TIMER_STARTED)$/.test(event.eventType);
    return isStep && metadata?.summary ? [JSON.parse(textOf(metadata.summary)) as string] : [];
  });

/**
 * With RECORD_HISTORIES set, keeps a history in test/histories, with nothing in it about the machine. One that is
 * there stays as it is: it is what later versions must still replay.
 */
export async function recordHistory(name: string, history: HistoryJson): Promise<void> {
  if (!process.env['RECORD_HISTORIES']) return;
  const root = join(import.meta.dirname, '../..');
  const plain = (key: string, value: unknown) => {
    if (key === 'identity') return 'worker';
    if (key !== 'stackTrace' || typeof value !== 'string') return value;
    // As relative paths; of packages that are linked in from elsewhere, too.
    return value.replaceAll(`${root}/`, '').replace(/(?:file:\/\/)?\/[^\s()]*?\/(?=node_modules\/)/g, '');
  };
  const path = join(root, 'test/histories', `${name}.json`);
  const text = `${JSON.stringify(history, plain, 1)}\n`;
  await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
}

/** Every payload that a history holds, decoded. */
export function payloadsOf(history: HistoryJson): string[] {
  const found: string[] = [];
  JSON.stringify(history, (_, value: unknown) => {
    if (isPayload(value)) found.push(textOf(value));
    return value;
  });
  return found;
}

interface PayloadJson {
  metadata: { encoding: string };
  data: string;
}

const isPayload = (value: unknown): value is PayloadJson =>
  typeof value === 'object' && value !== null && 'metadata' in value && 'data' in value;
const textOf = ({ data }: PayloadJson): string => Buffer.from(data, 'base64').toString();
