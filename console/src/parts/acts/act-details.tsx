/** All the facts of an entry of the audit log, folded away. */
import './acts.css';

export function ActDetails({ label, lines }: { label: string; lines: readonly (readonly [string, unknown])[] }) {
  if (lines.length === 0) return null;
  return (
    <details className="tg-act-details">
      <summary>{label}</summary>
      <dl>
        {lines.map(([name, value], at) => (
          <div key={`${name} ${at}`}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
