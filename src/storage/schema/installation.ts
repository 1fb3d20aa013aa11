/** What this installation is. */
import { pgTable, text } from 'drizzle-orm/pg-core';

/** Facts of this installation, by name; the fingerprint of TOLLGATE_SECRET is one. */
export const installation = pgTable('installation', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
