/** Returns how many filters are set. Those of time are one. */
export function activeFilters(filter: Readonly<Record<string, string | undefined>>): number {
  const set = Object.keys(filter).filter((name) => filter[name] !== undefined);
  const others = set.filter((name) => !ofTime.includes(name));
  return others.length + (others.length < set.length ? 1 : 0);
}

const ofTime = ['last', 'from', 'to', 'hour'];
