/** `npm run folders`: writes the table of folders into ARCHITECTURE.md, from the layout rules. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withFoldersTable } from '../test/support/folders-table.ts';

const path = fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url));
writeFileSync(path, withFoldersTable(readFileSync(path, 'utf8')));
