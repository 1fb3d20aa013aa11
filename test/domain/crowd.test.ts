/** A crowd: members come and go in any order, and a place that is given up twice is taken from no other member. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Crowd } from '../../src/domain/crowd.ts';

const sorted = (crowd: Crowd<string>) => crowd.members().sort();

void describe('Crowd', () => {
  void it('has those who were added and not removed', () => {
    const crowd = new Crowd<string>();
    const places = ['a', 'b', 'c', 'd'].map((name) => crowd.add(name));
    for (const index of [1, 3]) if (places[index]) crowd.remove(places[index]);
    crowd.add('e');
    assert.deepEqual(sorted(crowd), ['a', 'c', 'e']);
    assert.equal(crowd.size, 3);
  });

  void it('lets the same member come twice', () => {
    const crowd = new Crowd<string>();
    const first = crowd.add('a');
    crowd.add('a');
    crowd.remove(first);
    assert.deepEqual(crowd.members(), ['a']);
  });

  void it('removes no other member when a place is given up twice', () => {
    const crowd = new Crowd<string>();
    const first = crowd.add('a');
    crowd.add('b');
    crowd.remove(first);
    crowd.remove(first);
    assert.deepEqual(crowd.members(), ['b']);
  });

  void it('lets go of a member whose place is still kept', () => {
    const crowd = new Crowd<string>();
    const place = crowd.add('a');
    crowd.remove(place);
    assert.equal(place.member, undefined);
  });

  void it('gives back all that it had when it is cleared, and knows their places no more', () => {
    const crowd = new Crowd<string>();
    const place = crowd.add('a');
    crowd.add('b');
    assert.deepEqual(crowd.clear().sort(), ['a', 'b']);
    crowd.add('c');
    crowd.remove(place);
    assert.deepEqual(crowd.members(), ['c']);
  });

  void it('keeps its members whatever order they leave in', () => {
    const crowd = new Crowd<number>();
    const places = Array.from({ length: 100 }, (_, index) => crowd.add(index));
    const left = new Set(places.keys());
    for (let step = 0, index = 0; step < 60; step++) {
      index = (index + 37) % 100;
      const place = places[index];
      if (place) crowd.remove(place);
      left.delete(index);
      assert.deepEqual(new Set(crowd.members()), left);
    }
  });
});
