/** The product's mark and name. */
import icon from '../icon.svg';

export function Wordmark() {
  return (
    <span className="tg-wordmark">
      <img src={icon} alt="" width={24} height={24} />
      <span>Tollgate</span>
    </span>
  );
}
