#!/usr/bin/env node
/** The `tollgate` command: makes the folder ready where something is missing or stale, then runs. */
import { runScript } from '../scripts/prepare.mjs';

await runScript(() => import('../dist/cli/main.js'));
