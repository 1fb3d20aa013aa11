/**
 * Columns that tables share. The tables of this folder are what drizzle sees: `drizzle-kit generate` makes the migrations
 * from them; what it can't say (partitions, append-only triggers) stands in migrations by hand, named so in `migrations/`.
 */
import { sql } from 'drizzle-orm';
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
export const moment = (name: string) => timestamp(name, { withTimezone: true });
/** Micro-yuan, and whatever else is counted in 64 bits. */
export const money = (name: string) => bigint(name, { mode: 'bigint' });
export const oneOf = (column: string, values: readonly string[]) =>
  sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(', ')})`);
