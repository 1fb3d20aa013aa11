/** Days, months and hours by the clocks of time zones, also of half hours and where the clocks change. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dayIn, isoIn, spansIn, startOfDay, timeZoneNamed } from '../../src/domain/time-zone.ts';

const iso = (moment: Date) => moment.toISOString();
const lengthsInHours = (starts: readonly Date[]) =>
  starts.slice(1).map((start, at) => (start.getTime() - (starts[at]?.getTime() ?? 0)) / 3_600_000);

describe('a time zone', () => {
  for (const [name, known] of [
    ['UTC', 'UTC'],
    ['Asia/Shanghai', 'Asia/Shanghai'],
    ['asia/shanghai', 'Asia/Shanghai'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Etc/GMT+8', 'Etc/GMT+8'],
  ] as const)
    test(`is known as ${name}`, () => assert.equal(timeZoneNamed(name), known));
  for (const name of ['', 'Mars/Olympus', '+08:00', '08:00', 'Asia/Shanghai ', '../etc/passwd', 'A'.repeat(65)])
    test(`is not named '${name.slice(0, 20)}'`, () => assert.equal(timeZoneNamed(name), undefined));
});

describe('a day begins at midnight of its zone', () => {
  for (const [zone, day, start] of [
    ['UTC', '2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['Asia/Shanghai', '2026-11-21', '2026-11-20T16:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-21', '2026-11-20T18:30:00.000Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
    // Clocks skip midnight there, and here they show it twice.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
  ] as const)
    test(`${day} in ${zone}`, () => {
      const begins = startOfDay(zone, day);
      assert.equal(iso(begins), start);
      assert.equal(dayIn(zone, begins), day);
      assert.ok(dayIn(zone, new Date(begins.getTime() - 1)) < day);
    });
});

test('a time is written with the offset that its zone had then', () => {
  const at = (zone: string, time: string) => isoIn(zone, new Date(time));
  assert.equal(at('Asia/Kolkata', '2026-11-20T18:30:00Z'), '2026-11-21T00:00:00+05:30');
  assert.equal(at('America/New_York', '2026-11-01T05:30:59.999Z'), '2026-11-01T01:30:59-04:00');
  assert.equal(at('America/New_York', '2026-11-01T06:30:00Z'), '2026-11-01T01:30:00-05:00');
  assert.equal(at('UTC', '2026-11-01T06:30:00Z'), '2026-11-01T06:30:00+00:00');
});

describe('spans', () => {
  test('of days have 23 and 25 hours where the clocks of New York change', () => {
    const spring = spansIn('America/New_York', 'day', {
      from: new Date('2026-03-07T12:00:00Z'),
      to: new Date('2026-03-10T12:00:00Z'),
    });
    assert.deepEqual(spring.labels, ['2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10']);
    assert.deepEqual(lengthsInHours(spring.starts), [24, 23, 24]);
    const autumn = spansIn('America/New_York', 'day', {
      from: new Date('2026-10-31T12:00:00Z'),
      to: new Date('2026-11-02T12:00:00Z'),
    });
    assert.deepEqual(lengthsInHours(autumn.starts), [24, 25]);
  });

  test('of hours name the hour that comes twice by its offset', () => {
    const { starts, labels } = spansIn('America/New_York', 'hour', {
      from: startOfDay('America/New_York', '2026-11-01'),
      to: startOfDay('America/New_York', '2026-11-02'),
    });
    assert.equal(labels.length, 25);
    assert.deepEqual(labels.slice(0, 4), [
      '2026-11-01T00:00:00-04:00',
      '2026-11-01T01:00:00-04:00',
      '2026-11-01T01:00:00-05:00',
      '2026-11-01T02:00:00-05:00',
    ]);
    assert.ok(lengthsInHours(starts).every((hours) => hours === 1));
  });

  test('of hours begin at half past of UTC in Kolkata', () => {
    const { starts, labels } = spansIn('Asia/Kolkata', 'hour', {
      from: new Date('2026-11-20T18:45:00Z'),
      to: new Date('2026-11-20T20:00:00Z'),
    });
    assert.deepEqual(starts.map(iso), ['2026-11-20T18:30:00.000Z', '2026-11-20T19:30:00.000Z']);
    assert.deepEqual(labels, ['2026-11-21T00:00:00+05:30', '2026-11-21T01:00:00+05:30']);
  });

  test('of months begin with the first day of the zone', () => {
    const { starts, labels } = spansIn('Asia/Shanghai', 'month', {
      from: new Date('2026-10-31T16:00:00Z'),
      to: new Date('2026-12-31T16:00:00Z'),
    });
    assert.deepEqual(labels, ['2026-11', '2026-12']);
    assert.deepEqual(starts.map(iso), ['2026-10-31T16:00:00.000Z', '2026-11-30T16:00:00.000Z']);
  });

  test('leave out a day that the zone skipped', () => {
    const { labels } = spansIn('Pacific/Apia', 'day', {
      from: new Date('2011-12-29T12:00:00Z'),
      to: new Date('2012-01-01T12:00:00Z'),
    });
    assert.deepEqual(labels, ['2011-12-29', '2011-12-31', '2012-01-01', '2012-01-02']);
  });
});
