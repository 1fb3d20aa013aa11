/** Every history ever recorded is replayed by the workflow code of today; one that was spoilt is refused. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Worker } from '@temporalio/worker';
import pino from 'pino';
import { bundlePath, tracedBundlePath } from '../../src/temporal/bundle-workflows.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { activitiesOf, type HistoryJson, readHistory } from '../support/history.ts';

const folder = new URL('../histories/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
const load = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as HistoryJson;
const replay = (history: HistoryJson, codePath = bundlePath) =>
  Worker.runReplayHistory({ workflowBundle: { codePath }, replayName: 'replay' }, readHistory(history));

before(() => installTemporalRuntime(pino({ level: 'silent' })));

test('there is a history of every course that a task, a delivery, an audit or retention can take', () => {
  assert.deepEqual(names.sort(), [
    'audit.json',
    'avatar-talk-cancelled-after-its-end.json',
    'avatar-talk-cancelled-withdrawn.json',
    'avatar-talk-expires-priced.json',
    'avatar-talk-expires.json',
    'event-broken.json',
    'event-cancelled.json',
    'event-delivered.json',
    'event-given-up.json',
    'image-cancelled-priced.json',
    'image-cancelled-withdrawn.json',
    'image-cancelled.json',
    'image-failed-withdrawn.json',
    'image-failed.json',
    'image-refused.json',
    'image-succeeds-priced.json',
    'image-succeeds.json',
    'image-told.json',
    'image-waits-for-busy-provider.json',
    'retain.json',
  ]);
});

for (const name of names) {
  test(`${name} is replayed`, () => replay(load(name)));
  test(`${name} is replayed by a worker that traces`, () => replay(load(name), tracedBundlePath));
}

describe('a history is refused', () => {
  const spoilt = (name: string, change: (text: string) => string) => {
    const text = JSON.stringify(load(name));
    const changed = change(text);
    assert.notEqual(changed, text);
    return JSON.parse(changed) as HistoryJson;
  };
  const refused = (history: HistoryJson) => assert.rejects(replay(history), { name: 'DeterminismViolationError' });

  test('whose two activities have changed places', () =>
    refused(
      spoilt('image-succeeds.json', (text) =>
        text
          .replaceAll('"name":"submit"', '"name":"-"')
          .replaceAll('"name":"collect"', '"name":"submit"')
          .replaceAll('"name":"-"', '"name":"collect"'),
      ),
    ));

  test('in which a step of today is missing', () => {
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
