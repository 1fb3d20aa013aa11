/** A number with its change below it, where there is a period before to compare with. */
import { Measured } from '../measured.tsx';
import { Change } from './change.tsx';
import type { NumberBefore } from './comparison.ts';
import { type Figure, unitOf } from './figures.ts';
import type { Heading } from './head-text.ts';

interface ComparedProps {
  of: number | null;
  figure: Figure;
  /** None: the whole. */
  heading?: Heading;
  before: NumberBefore<Figure> | undefined;
}

export function Compared({ of, figure, heading, before }: ComparedProps) {
  const unit = unitOf(figure);
  return (
    <>
      <Measured unit={unit} of={of} />
      {before && (
        <>
          {' '}
          <Change now={of} before={before(heading, figure)} unit={unit} />
        </>
      )}
    </>
  );
}
