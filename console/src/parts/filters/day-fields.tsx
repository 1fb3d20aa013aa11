/** The first and the last day of a range of one's own, with a calendar in the reader's language, which a browser's own need not be in. */
import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import 'dayjs/locale/zh-cn';

interface DayFieldsProps {
  /** Days as `2026-11-21`; undefined: open. */
  from: string | undefined;
  to: string | undefined;
  /** No day after it can be chosen. */
  last: string;
  names: readonly [from: string, to: string];
  onChange: (days: { from: string | undefined; to: string | undefined }) => void;
}

const form = 'YYYY-MM-DD';

export default function DayFields({ from, to, last, names: [nameOfFrom, nameOfTo], onChange }: DayFieldsProps) {
  const dayOf = (day: string | undefined) => (day === undefined ? null : dayjs(day, form));
  return (
    <DatePicker.RangePicker
      format={form}
      allowEmpty
      value={[dayOf(from), dayOf(to)]}
      maxDate={dayjs(last, form)}
      placeholder={[nameOfFrom, nameOfTo]}
      onChange={(days) => {
        const [first, second] = days ?? [];
        onChange({ from: first?.format(form), to: second?.format(form) });
      }}
    />
  );
}
