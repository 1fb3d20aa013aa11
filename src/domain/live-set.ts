/**
 * Members that come and go by the thousand a second, such as calls under way.
 *
 * Not a `Set`: V8 gives a set a new table whenever the places of former members have filled it. The old table keeps the
 * members that it had and leads to the next one. So once one of them is in the old generation, each call that was ever in
 * a later one stays with all that hangs on it until the next full collection: of 100 KB that a chat call allocates, 26 were
 * copied there.
 */
export class LiveSet<Member> {
  readonly #places: Place<Member>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Adds a member. Returns its place, to be given to `remove`. */
  add(member: Member): Place<Member> {
    const place = { member, at: this.#places.length };
    this.#places.push(place);
    return place;
  }

  /** Removes the member of a place; does nothing if it is gone already. */
  remove(place: Place<Member>): void {
    if (place.member === undefined) return;
    place.member = undefined;
    const last = this.#places.pop();
    if (last === undefined || last === place) return;
    this.#places[place.at] = last;
    last.at = place.at;
  }

  /** Those who are there now, in no order. */
  members(): Member[] {
    return this.#places.flatMap(({ member }) => (member === undefined ? [] : [member]));
  }

  /** Removes all, and returns them. */
  clear(): Member[] {
    const members = this.members();
    for (const place of this.#places.splice(0)) place.member = undefined;
    return members;
  }
}

/** Where a member stands. It lets go of a member that was removed, and a place that is kept on keeps no member. */
export interface Place<Member> {
  member: Member | undefined;
  at: number;
}
