/** What it was before, over the bars: a dashed line, or a dot at each. */

interface BeforeProps {
  /** Of each bar, as a part of the chart's height; null where it isn't known. */
  parts: readonly (number | null)[];
  isLine: boolean;
}

export function Before({ parts, isLine }: BeforeProps) {
  const known = parts.flatMap((part, index) => (part === null ? [] : [{ x: index + 0.5, part }]));
  if (isLine && known.length > 1) {
    return (
      <svg className="tg-bars-before" viewBox={`0 0 ${parts.length} 1`} preserveAspectRatio="none">
        <polyline points={known.map(({ x, part }) => `${x},${1 - part}`).join(' ')} />
      </svg>
    );
  }
  return known.map(({ x, part }) => (
    <i key={x} className="tg-bars-dot" style={{ left: `${(x / parts.length) * 100}%`, bottom: `${part * 100}%` }} />
  ));
}
