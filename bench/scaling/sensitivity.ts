/** Which figure matters most: what becomes of all cores when it is twice what the table says. */
import { needsOf } from './cluster.ts';
import { allFigures, type Figure, type Figures } from './figures.ts';
import { loads } from './loads.ts';

const shownMax = 6;

interface Weight {
  figure: Figure;
  /** By load: how much more cores are needed in all, as a share. */
  more: number[];
}

/** The figures that matter most for any load, the weightiest first. */
export function weightsOf(figures: Figures): Weight[] {
  const asIs = loads.map((load) => needsOf(load, figures).cores);
  return allFigures
    .map((figure) => {
      const doubled = { ...figures, [figure.name]: 2 * figures[figure.name] };
      const more = loads.map((load, at) => needsOf(load, doubled).cores / (asIs[at] ?? 1) - 1);
      return { figure, more };
    })
    .sort((one, other) => Math.max(...other.more) - Math.max(...one.more));
}

export function sensitivityTable(figures: Figures): string {
  const percent = (share: number) => `${share < 0 ? '−' : '+'}${Math.round(Math.abs(share) * 100)} %`;
  const rows = weightsOf(figures)
    .slice(0, shownMax)
    .map(({ figure: { name, about, unit, source }, more }) =>
      [about, `${figures[name]} ${unit}`.trimEnd(), source, ...more.map(percent)].join(' | '),
    );
  const titles = ['figure', 'is', 'from', ...loads.map(({ name }) => `twice: ${name}`)].join(' | ');
  return [titles, ['---', '---:', '---', ...loads.map(() => '---:')].join(' | '), ...rows]
    .map((row) => `| ${row} |\n`)
    .join('');
}
