/** Today's workflow code replays every recorded history, and refuses one whose steps were changed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Worker } from '@temporalio/worker';
import { bundlePath, tracedBundlePath } from '../../src/temporal/bundle-workflows.ts';
import { activitiesOf, type HistoryJson, readHistory } from '../support/history.ts';
import { runtimeOfProcess } from '../support/temporal.ts';

const folder = new URL('../histories/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
const load = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as HistoryJson;
const replay = (history: HistoryJson, codePath = bundlePath) =>
  Worker.runReplayHistory({ workflowBundle: { codePath }, replayName: 'replay' }, readHistory(history));

before(() => runtimeOfProcess());

test('each way that a task, a batch, a delivery, the audit and the retention can take has a recorded history', () => {
  assert.deepEqual(names.sort(), [
    'audit.json',
    'avatar-talk-cancelled-after-its-end.json',
    'avatar-talk-cancelled.json',
    'avatar-talk-expires.json',
    'batch-cancelled.json',
    'batch-completes.json',
    'batch-goes-on.json',
    'batch-refused.json',
    'event-broken.json',
    'event-cancelled.json',
    'event-delivered.json',
    'event-given-up.json',
    'image-cancelled.json',
    'image-failed.json',
    'image-refused.json',
    'image-succeeds.json',
    'image-waits-for-busy-provider.json',
    'image-with-webhook.json',
    'retain.json',
  ]);
});

for (const name of names) {
  test(`${name} is replayed`, () => replay(load(name)));
  test(`${name} is replayed by a worker that traces`, () => replay(load(name), tracedBundlePath));
}

describe('replay refuses a history', () => {
  const alter = (name: string, change: (text: string) => string) => {
    const text = JSON.stringify(load(name));
    const changed = change(text);
    assert.notEqual(changed, text);
    return JSON.parse(changed) as HistoryJson;
  };
  const refused = (history: HistoryJson) => assert.rejects(replay(history), { name: 'DeterminismViolationError' });

  test('whose two activities are swapped', () =>
    refused(
      alter('image-succeeds.json', (text) =>
        text
          .replaceAll('"name":"submit"', '"name":"-"')
          .replaceAll('"name":"collect"', '"name":"submit"')
          .replaceAll('"name":"-"', '"name":"collect"'),
      ),
    ));

  test('that lacks a step of today', () => {
    const history = load('avatar-talk-expires.json');
    const first = history.events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
    assert.ok(first > 0 && activitiesOf(history).includes('expire'));
    const events = history.events.slice(0, first);
    const last = events.at(-1);
    const closed = {
      eventId: String(first + 1),
      eventTime: last?.['eventTime'],
      taskId: last?.['taskId'],
      eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED',
    };
    return refused({
      events: [
        ...events,
        { ...closed, workflowExecutionCompletedEventAttributes: { workflowTaskCompletedEventId: String(first - 1) } },
      ],
    });
  });
});
