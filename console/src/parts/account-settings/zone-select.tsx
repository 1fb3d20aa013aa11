/** A time zone to choose by its name, the reader's own near the top; within an antd form. */
import { Select } from 'antd';

interface ZoneSelectProps {
  /** Of the form. */
  id?: string;
  value?: string;
  onChange?: (zone: string) => void;
}

/** A zone that this browser does not list is shown all the same. */
export function ZoneSelect({ value, ...props }: ZoneSelectProps) {
  const all = value === undefined ? zones : new Set([...zones, value]);
  return (
    <Select
      {...props}
      value={value ?? null}
      showSearch
      options={[...all].map((zone) => ({ value: zone, label: zone }))}
    />
  );
}

/** Browsers list some zones by the names that they had before. */
const newNames: Readonly<Record<string, string>> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Europe/Kiev': 'Europe/Kyiv',
};
const newName = (zone: string): string => newNames[zone] ?? zone;
const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones = new Set(['UTC', ...[own, ...Intl.supportedValuesOf('timeZone')].map(newName)]);
