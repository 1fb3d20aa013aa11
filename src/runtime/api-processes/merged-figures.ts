/**
 * The figures of several processes as one text. A sum never falls because a process died: what it had counted when it was
 * last asked stays in the sum, or Prometheus would take the fall for a restart and count the rest a second time.
 */
import { AggregatorRegistry } from 'prom-client';
import { type Figures, figuresSchema } from './messages.ts';

export class MergedFigures {
  /** What each process showed last, by its pid. */
  readonly #last = new Map<number, Figures>();
  /** What processes that have ended had counted. */
  readonly #ended: Figures[] = [];

  update(pid: number, figures: Figures): void {
    this.#last.set(pid, figures);
  }

  end(pid: number): void {
    const last = this.#last.get(pid);
    if (last) this.#ended.push(counted(last));
    this.#last.delete(pid);
  }

  /**
   * Everything in Prometheus' text format. Of a process that has not answered it has what was counted by then. Not to be
   * called again before it has resolved.
   */
  async text(answered: ReadonlySet<number>): Promise<string> {
    const ended = figuresSchema.parse(await merge(this.#ended.splice(0)).getMetricsAsJSON());
    this.#ended.push(ended); // as one, so that a process that dies again and again takes no memory each time
    const living = [...this.#last].map(([pid, figures]) => (answered.has(pid) ? figures : counted(figures)));
    return merge([...living, ...this.#ended]).metrics();
  }
}

const counted = (figures: Figures): Figures => figures.filter(({ type }) => type === 'counter' || type === 'histogram');

const merge = (all: Figures[]) => AggregatorRegistry.aggregate(all);
