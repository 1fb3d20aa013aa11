/** Values of options that several commands take, read from their texts; what is none is refused in words. */
import { InvalidArgumentError } from 'commander';

/** A whole number from 1 to `max`, which has nine digits at most. */
export const wholeNumber =
  (max: number) =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`Must be an integer from 1 to ${max}.`);
  };

/** A time in ISO 8601. */
export function moment(text: string): Date {
  const date = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('Must be an ISO 8601 time.');
}
